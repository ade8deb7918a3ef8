import { parseIpv4 } from "../../system/core/net/net.ts";
import { KEY_BYTES, privateKey } from "../../system/wireguard/keys.ts";
import type { MeshDeps } from "./deps.ts";

/** Whether the kernel makes links of a mesh, and to this address. */
export async function canLink(
  engine: Pick<MeshDeps["engine"], "host">,
  address: string,
): Promise<boolean> {
  return parseIpv4(address) !== null && (await engine.host.facts()).capabilities.vxlan;
}

/** A new private key for one end of an encrypted link. */
export function drawTunnelKey({ random }: Pick<MeshDeps, "random">): string {
  return privateKey(random(KEY_BYTES));
}
