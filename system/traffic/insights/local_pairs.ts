import type { PairTraffic } from "../../core/kernel/host.ts";
import { inRange4, parseIpv4, parseRange4, type Range4 } from "../../core/net/net.ts";

/** Traffic of a device with an address outside, since it was collected last. */
export interface RemoteTraffic {
  readonly device: string;
  readonly remote: string;
  /** Bytes that the device received and sent. */
  readonly in: number;
  readonly out: number;
}

/**
 * Remote addresses that are nobody's: unspecified, loopback, link-local, multicast and above, with
 * broadcast (RFC 6890).
 */
const NOBODY = ["0.0.0.0/8", "127.0.0.0/8", "169.254.0.0/16", "224.0.0.0/3"]
  .map((text) => parseRange4(text)!);

/** Networks in CIDR form, or single addresses, as ranges; what is none is left out. */
export function localRanges(networks: readonly string[]): readonly Range4[] {
  return networks.flatMap((text) => parseRange4(text) ?? []);
}

/**
 * The traffic of devices with the outside: of pairs with exactly one end in a local network. What
 * devices and containers send each other is not among it.
 */
export function remoteTraffic(
  pairs: readonly PairTraffic[],
  local: readonly Range4[],
): readonly RemoteTraffic[] {
  const sums = new Map<string, { device: string; remote: string; in: number; out: number }>();
  const isIn = (ranges: readonly Range4[], address: number): boolean =>
    ranges.some((range) => inRange4(range, address));
  for (const [source, destination, , , sent, , received] of pairs) {
    const from = parseIpv4(source), to = parseIpv4(destination);
    if (from === null || to === null) continue;
    const begins = isIn(local, from);
    if (begins === isIn(local, to) || isIn(NOBODY, begins ? to : from)) continue;
    const [device, remote] = begins ? [source, destination] : [destination, source];
    const key = `${device} ${remote}`;
    const sum = sums.get(key) ?? { device, remote, in: 0, out: 0 };
    sum.in += begins ? received : sent;
    sum.out += begins ? sent : received;
    sums.set(key, sum);
  }
  return [...sums.values()];
}
