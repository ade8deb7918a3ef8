import type { SocketEntry } from "../../core/machine/schema.ts";

/** The sockets in the output of `ss -Htuna`; lines of another shape are left out. */
export function parseSockets(text: string): readonly SocketEntry[] {
  return text.split("\n").flatMap((line) => {
    const [netid, state, receives, sends, local, peer] = line.trim().split(/\s+/);
    const own = endpointOf(local), other = endpointOf(peer);
    if (netid === undefined || state === undefined || own === null || other === null) return [];
    if (!/^\d+$/.test(receives ?? "") || !/^\d+$/.test(sends ?? "")) return [];
    return [{
      netid,
      state,
      recv_q: Number(receives),
      send_q: Number(sends),
      local_address: own.address,
      local_port: own.port,
      peer_address: other.address,
      peer_port: other.port,
    }];
  });
}

function endpointOf(text: string | undefined): { address: string; port: string } | null {
  const match = /^(.+):(\d{1,5}|\*)$/.exec(text ?? "");
  return match === null ? null : { address: match[1]!, port: match[2]! };
}
