import type { Config } from "../config.ts";
import type { Bus } from "../core/events/bus.ts";
import type { DiscoveredSender, DiscoveryReport } from "./schema.ts";

/** Maximum number of senders, and of services of each. */
const MAX_SENDERS = 1024, MAX_SERVICES = 64;

/** Dependencies of {@link DiscoveredSenders}. */
export interface DiscoveredSendersDeps {
  readonly config: () => Pick<Config, "devices">;
  readonly bus: Pick<Bus, "publish">;
  /** Unix milliseconds. */
  readonly now: () => number;
}

type Sender = Omit<DiscoveredSender, "identity">;

/** The senders seen on each reflected group; the longest silent one is evicted first. */
export class DiscoveredSenders {
  readonly #deps: DiscoveredSendersDeps;
  readonly #senders = new Map<string, Sender>();

  constructor(deps: DiscoveredSendersDeps) {
    this.#deps = deps;
  }

  /** Applies a report of multicastd; publishes senders with new services. */
  take(report: DiscoveryReport): void {
    const owners = this.#owners();
    for (const { address, source, link, services } of report.items) {
      const key = `${address} ${source}`;
      const before = this.#senders.get(key)?.services ?? [];
      const kept = [...before.filter((one) => !services.includes(one)), ...services];
      const speaker = {
        ...{ address, source, link },
        services: kept.slice(-MAX_SERVICES),
        lastSeen: this.#deps.now(),
      };
      this.#senders.delete(key);
      this.#senders.set(key, speaker);
      const fresh = services.filter((one) => !before.includes(one));
      const owner = owners.get(source);
      if (fresh.length > 0 && owner !== undefined) {
        const MAC = this.#deps.config().devices[owner]?.MAC ?? "";
        this.#deps.bus.publish("zeroconf:device", { SrcIP: source, MAC, Services: fresh });
      }
    }
    for (const key of this.#senders.keys()) {
      if (this.#senders.size <= MAX_SENDERS) break;
      this.#senders.delete(key);
    }
  }

  /** All senders, latest first. */
  list(): DiscoveredSender[] {
    const owners = this.#owners();
    return [...this.#senders.values()].reverse()
      .map((one) => ({ ...one, identity: owners.get(one.source) ?? "" }));
  }

  #owners(): ReadonlyMap<string, string> {
    return new Map(
      Object.entries(this.#deps.config().devices).map(([identity, { RecentIP }]) =>
        [RecentIP, identity] as const
      ),
    );
  }
}
