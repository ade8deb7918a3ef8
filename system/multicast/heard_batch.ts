import { formatIpv4 } from "../core/net/net.ts";
import type { Arrival } from "./relay_rules.ts";
import { formatGroup, type HeardReport } from "./schema.ts";
import { servicesOf } from "./services.ts";

/** Speakers of one report, and services of each: what a report may hold. */
const SPEAKERS = 256, SERVICES = 32;

/** Gathers who spoke until it is told; what does not fit is left out. */
export class HeardBatch {
  readonly #speakers = new Map<string, HeardReport["items"][number]>();

  /** Takes in a datagram of a group. */
  add({ link, datagram }: Arrival): void {
    const address = formatGroup({
      address: formatIpv4(datagram.destination),
      port: datagram.port,
    });
    const source = formatIpv4(datagram.source);
    const key = `${address} ${source}`;
    const before = this.#speakers.get(key);
    if (before === undefined && this.#speakers.size >= SPEAKERS) return;
    const services = [...new Set([...before?.services ?? [], ...servicesOf(datagram)])];
    this.#speakers.set(key, { address, source, link, services: services.slice(-SERVICES) });
  }

  /** Everything since the last time, or null for nothing. */
  take(): HeardReport | null {
    if (this.#speakers.size === 0) return null;
    const items = [...this.#speakers.values()];
    this.#speakers.clear();
    return { items };
  }
}
