import { runOrFail } from "./run.ts";

const FORWARD = "net.ipv4.ip_forward";

/** True when the kernel forwards IPv4. */
export async function readForwarding(): Promise<boolean> {
  return (await runOrFail("sysctl", { args: ["-n", FORWARD] })).trim() === "1";
}

/** Switches forwarding of IPv4 on or off; IPv6 is left as it is. */
export async function writeForwarding(on: boolean): Promise<void> {
  await runOrFail("sysctl", { args: ["-q", "-w", `${FORWARD}=${on ? 1 : 0}`] });
}
