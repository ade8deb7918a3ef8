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

interface Sender extends Omit<DiscoveredSender, "identity"> {
  readonly txt: Readonly<Record<string, string>>;
  readonly ssdp: Readonly<Record<string, string>>;
}

/** The senders seen on each reflected group; the longest silent one is evicted first. */
export class DiscoveredSenders {
  readonly #deps: DiscoveredSendersDeps;
  readonly #senders = new Map<string, Sender>();

  constructor(deps: DiscoveredSendersDeps) {
    this.#deps = deps;
  }

  /** Applies a report of multicastd; publishes what senders say for the first time. */
  take(report: DiscoveryReport): void {
    const owners = this.#owners();
    for (const { address, source, link, services, txt, ssdp } of report.items) {
      const key = `${address} ${source}`;
      const known = this.#senders.get(key);
      const before = known?.services ?? [];
      const kept = [...before.filter((one) => !services.includes(one)), ...services];
      const speaker = {
        ...{ address, source, link },
        services: kept.slice(-MAX_SERVICES),
        lastSeen: this.#deps.now(),
        txt: { ...known?.txt, ...txt },
        ssdp: { ...known?.ssdp, ...ssdp },
      };
      this.#senders.delete(key);
      this.#senders.set(key, speaker);
      const Services = services.filter((one) => !before.includes(one));
      const TXT = news(known?.txt, txt), SSDPHeaders = news(known?.ssdp, ssdp);
      const owner = owners.get(source);
      const isNews = [Services, TXT, SSDPHeaders].some((one) => Object.keys(one).length > 0);
      if (isNews && owner !== undefined) {
        const MAC = this.#deps.config().devices[owner]?.MAC ?? "";
        this.#deps.bus.publish("zeroconf:device", {
          ...{ SrcIP: source, MAC, Services, TXT, SSDPHeaders },
        });
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
    return [...this.#senders.values()].reverse().map(({ txt: _, ssdp: __, ...one }) => ({
      ...one,
      identity: owners.get(one.source) ?? "",
    }));
  }

  /** What a device says of itself in TXT records, whatever group it sends them to. */
  txtOf(identity: string): Readonly<Record<string, string>> {
    const address = this.#deps.config().devices[identity]?.RecentIP ?? "";
    const own = [...this.#senders.values()].filter(({ source }) => source === address);
    return Object.assign({}, ...own.map(({ txt }) => txt));
  }

  #owners(): ReadonlyMap<string, string> {
    return new Map(
      Object.entries(this.#deps.config().devices).map(([identity, { RecentIP }]) =>
        [RecentIP, identity] as const
      ),
    );
  }
}

/** The entries that are new or have another value. */
function news(
  before: Readonly<Record<string, string>> = {},
  after: Readonly<Record<string, string>>,
): Record<string, string> {
  return Object.fromEntries(Object.entries(after).filter(([key, value]) => before[key] !== value));
}
