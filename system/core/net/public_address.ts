import { isUnroutable, parseIpv4, parseRange4 } from "./net.ts";

/** Private networks and those of providers' NAT (RFC 1918, 6598 and 3927). */
const NOT_PUBLIC = [
  "10.0.0.0/8",
  "172.16.0.0/12",
  "192.168.0.0/16",
  "100.64.0.0/10",
  "169.254.0.0/16",
]
  .map((text) => parseRange4(text)!);

/** True for an IPv4 address that can be reached from the Internet. */
export function isPublic(address: string): boolean {
  const value = parseIpv4(address);
  return value !== null && !isUnroutable(value) &&
    !NOT_PUBLIC.some(({ first, last }) => first <= value && value <= last);
}
