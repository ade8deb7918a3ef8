import type { PingAnswer, SocketEntry } from "./schema.ts";

/** A length of time as Go writes it: `1.234567ms`, `512.3µs`. */
export function goDuration(nanoseconds: number): string {
  if (nanoseconds < 1000) return `${nanoseconds}ns`;
  const [unit, size] = nanoseconds < 1e6
    ? ["µs", 1e3] as const
    : nanoseconds < 1e9
    ? ["ms", 1e6] as const
    : ["s", 1e9] as const;
  return `${nanoseconds / size}${unit}`;
}

/** The answers of a ping as people read them. */
export function pingWords(answer: PingAnswer): readonly string[] {
  return answer.map((nanoseconds) => nanoseconds === null ? "timeout" : goDuration(nanoseconds));
}

/** The sockets in the output of `ss -Htuna`; lines of another shape are left out. */
export function parseSockets(text: string): readonly SocketEntry[] {
  return text.split("\n").flatMap((line) => {
    const [netid, state, receives, sends, local, peer] = line.trim().split(/\s+/);
    const own = portOf(local), other = portOf(peer);
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

function portOf(place: string | undefined): { address: string; port: string } | null {
  const match = /^(.+):(\d{1,5}|\*)$/.exec(place ?? "");
  return match === null ? null : { address: match[1]!, port: match[2]! };
}
