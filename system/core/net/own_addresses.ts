import { onceEach } from "../config/memo.ts";
import type { Desired } from "../kernel/desired.ts";
import { inRange4, parseAddress, parseIpv4, parseRange4, type Range4 } from "./net.ts";

/** Maximum number of addresses listed. */
const MAX_ADDRESSES = 16;

const NONE: readonly string[] = [];

/**
 * The router's own addresses in a state, by which it can be reached: those on the LAN, those of
 * uplinks, then others; without those towards single devices inside of a network that is there already,
 * loopback and link-local ones.
 */
export function ownAddresses(
  { addresses, facts }: Pick<Desired, "addresses" | "facts">,
): readonly string[] {
  return callable(addresses)(facts?.addresses ?? NONE);
}

/** States after a change of policies have the same addresses, and each request asks for them. */
const callable = onceEach((addresses: Desired["addresses"]) =>
  onceEach((others: readonly string[]): readonly string[] => {
    const nets: Range4[] = [];
    const decided = addresses.flatMap(({ address }): readonly string[] => {
      const [host = ""] = address.split("/");
      const value = parseIpv4(host), net = parseRange4(address);
      if (value === null || net === null) return [host];
      if (nets.some((wider) => wider.prefix < net.prefix && inRange4(wider, value))) return [];
      nets.push(net);
      return [host];
    });
    return [...new Set([...decided, ...others])].filter(isCallable).slice(0, MAX_ADDRESSES);
  })
);

// RFC 1122 3.2.1.3 and RFC 4291 2.5.3: loopback; RFC 3927 and RFC 4291 2.5.6: link-local.
function isCallable(text: string): boolean {
  const address = parseAddress(text);
  if (address === null) return false;
  const { family, value } = address;
  return family === 4
    ? value >> 24n !== 127n && value >> 16n !== 0xa9fen
    : value !== 1n && value >> 118n !== 0x3fan;
}
