import { InterfaceName } from "../../core/net/grammar.ts";
import { runOrFail } from "../tools/run.ts";

const FORWARD = "net.ipv4.ip_forward";

/** Switches forwarding of IPv4 on or off; IPv6 is left as it is. */
export async function writeForwarding(on: boolean): Promise<void> {
  await runOrFail("sysctl", { args: ["-q", "-w", `${FORWARD}=${on ? 1 : 0}`] });
}

/**
 * Lets replies in by a link that the main table would not take to their sender (rp_filter 2). A name
 * may hold dots, so that the parts of the setting are joined by slashes.
 */
export async function loosen(link: string): Promise<void> {
  const name = InterfaceName.parse(link);
  await runOrFail("sysctl", { args: ["-q", "-w", `net/ipv4/conf/${name}/rp_filter=2`] });
}

/** True when the kernel tells of connections that begin to those who ask for it. */
export async function tellsOfFlows(): Promise<boolean> {
  try {
    const value = await runOrFail("sysctl", { args: ["-n", "net.netfilter.nf_conntrack_events"] });
    return value.trim() !== "0";
  } catch {
    // Built without: there is no such setting.
    return false;
  }
}
