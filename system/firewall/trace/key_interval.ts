import { parseIpv4, parseRange4 } from "../../core/net/net.ts";
import type { KeyType } from "../../core/kernel/ruleset.ts";

/** The lowest and highest number of an address, network, port or range; null for other texts. */
export function keyInterval(type: KeyType, text: string): readonly [number, number] | null {
  const parse = type === "ipv4_addr" ? parseIpv4 : type === "inet_service" ? port : null;
  if (!parse) return null;
  const range = type === "ipv4_addr" ? parseRange4(text) : null;
  if (range) return [range.first, range.last];
  const [low = "", high = low] = text.split("-");
  const first = parse(low), last = parse(high);
  return first === null || last === null ? null : [first, last];
}

function port(text: string): number | null {
  return /^\d{1,5}$/.test(text) ? Number(text) : null;
}
