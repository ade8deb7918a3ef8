import type { Config } from "../config.ts";
import type { Bus } from "../core/events/bus.ts";
import type { HeardItem, HeardReport } from "./schema.ts";

/** Speakers that are remembered, and services of each. */
const SPEAKERS = 1024, SERVICES = 64;

/** What heard multicast is kept with. */
export interface HeardDeps {
  readonly config: () => Pick<Config, "devices">;
  readonly bus: Pick<Bus, "publish">;
  /** Unix milliseconds. */
  readonly now: () => number;
}

type Speaker = Omit<HeardItem, "identity">;

/** Remembers who spoke on which address, for people to look at; forgets who was silent longest. */
export class Heard {
  readonly #deps: HeardDeps;
  readonly #speakers = new Map<string, Speaker>();

  constructor(deps: HeardDeps) {
    this.#deps = deps;
  }

  /** Takes in a report of multicastd; tells of speakers with services that are new. */
  take(report: HeardReport): void {
    const owners = this.#owners();
    for (const { address, source, link, services } of report.items) {
      const key = `${address} ${source}`;
      const before = this.#speakers.get(key)?.services ?? [];
      const kept = [...before.filter((one) => !services.includes(one)), ...services];
      const speaker = {
        ...{ address, source, link },
        services: kept.slice(-SERVICES),
        lastSeen: this.#deps.now(),
      };
      this.#speakers.delete(key);
      this.#speakers.set(key, speaker);
      const fresh = services.filter((one) => !before.includes(one));
      const owner = owners.get(source);
      if (fresh.length > 0 && owner !== undefined) {
        const MAC = this.#deps.config().devices[owner]?.MAC ?? "";
        this.#deps.bus.publish("zeroconf:device", { SrcIP: source, MAC, Services: fresh });
      }
    }
    for (const key of this.#speakers.keys()) {
      if (this.#speakers.size <= SPEAKERS) break;
      this.#speakers.delete(key);
    }
  }

  /** Everyone who is remembered, the latest first. */
  list(): HeardItem[] {
    const owners = this.#owners();
    return [...this.#speakers.values()].reverse()
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
