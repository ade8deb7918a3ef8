import type { Desired } from "./kernel.ts";
import { parseAddress } from "./net.ts";

/** Most addresses that are told: beyond the networks' own come those towards single devices. */
const MOST = 16;

/**
 * The router's own addresses in a state, by which it can be called: those at home, those of
 * uplinks, then others; without loopback and link-local ones.
 */
export function ownAddresses(desired: Pick<Desired, "addresses" | "seen">): readonly string[] {
  const all = [
    ...desired.addresses.map(({ address }) => address.split("/")[0] ?? ""),
    ...(desired.seen?.addresses ?? []),
  ];
  return [...new Set(all)].filter(isCallable).slice(0, MOST);
}

// RFC 1122 3.2.1.3 and RFC 4291 2.5.3: loopback; RFC 3927 and RFC 4291 2.5.6: link-local.
function isCallable(text: string): boolean {
  const address = parseAddress(text);
  if (address === null) return false;
  const { family, value } = address;
  return family === 4
    ? value >> 24n !== 127n && value >> 16n !== 0xa9fen
    : value !== 1n && value >> 118n !== 0x3fan;
}
