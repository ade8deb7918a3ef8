import { isRecord } from "../../core/config/json.ts";
import { Problem } from "../../core/errors/problem.ts";
import { run, runOrFail, toolMessage } from "./run.ts";

/** Who carries a WireGuard interface. */
export type WireguardBackend = "kernel" | "wireguard-go";

/** Who carries an interface of this name; null where there is none, "other" where it is none of these. */
export async function wireguardBackend(
  name: string,
): Promise<WireguardBackend | "other" | null> {
  const result = await run("ip", { args: ["-details", "-json", "link", "show", "dev", name] });
  if (!result.ok) return null;
  const [link] = JSON.parse(result.stdout) as readonly unknown[];
  const info = isRecord(link) ? link["linkinfo"] : null;
  const kind = isRecord(info) ? info["info_kind"] : null;
  return kind === "wireguard" ? "kernel" : kind === "tun" ? "wireguard-go" : "other";
}

/**
 * Creates a WireGuard interface: of the kernel where that knows WireGuard, else of the program
 * wireguard-go, which detaches itself and goes on without us. Throws Problem 502, 503.
 */
export async function createWireguardLink(name: string): Promise<WireguardBackend> {
  const result = await run("ip", { args: ["link", "add", "dev", name, "type", "wireguard"] });
  if (result.ok) return "kernel";
  if (!/unknown device type|not supported/i.test(toolMessage(result))) {
    throw new Problem(502, `ip: ${toolMessage(result)}`);
  }
  const program = await run("wireguard-go", { args: [name] });
  if (program.ok) return "wireguard-go";
  throw new Problem(
    502,
    `wireguard-go could not create ${name} (status ${program.code}); does /dev/net/tun exist?`,
  );
}

/** Deletes an interface; its wireguard-go ends with it. Throws Problem 502. */
export async function deleteWireguardLink(name: string): Promise<void> {
  await runOrFail("ip", { args: ["link", "delete", "dev", name] });
}
