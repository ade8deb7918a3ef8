/** Common vendor prefixes (IEEE OUI): Intel, Apple, Google, Microsoft, Raspberry Pi. */
const MAKERS = ["00:1b:21", "f0:18:98", "3c:5a:b4", "00:15:5d", "b8:27:eb", "dc:a6:32"] as const;

/**
 * A MAC address of six random bytes: locally administered (IEEE 802, U/L bit), or with a common
 * vendor prefix, so that it does not look random.
 */
export function randomMac(random: Uint8Array, cloaked: boolean): string {
  const bytes = [...random.subarray(0, 6)];
  if (bytes.length < 6) throw new RangeError("A random MAC address needs six bytes");
  const pairs = bytes.map((byte) => byte.toString(16).padStart(2, "0"));
  const prefix = cloaked
    ? MAKERS[bytes[0]! % MAKERS.length]!
    : [(bytes[0]! & 0xfc | 2).toString(16).padStart(2, "0"), pairs[1], pairs[2]].join(":");
  return [prefix, ...pairs.slice(3)].join(":");
}
