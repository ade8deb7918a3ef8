import type { TrafficBatch } from "../../core/kernel/host.ts";
import { inRange4, parseIpv4, parseRange4 } from "../../core/net/net.ts";
import type { InsightsSettings } from "../schema.ts";
import type { NamedTraffic, TrafficAnswers, TrafficRequest, Window } from "../store/messages.ts";
import type { HistoryFilter } from "./history.ts";
import { localRanges, remoteTraffic } from "./local_pairs.ts";

/** Milliseconds between two looks at what is old. */
const TRIM_INTERVAL_MS = 15 * 60_000;

/** Network and country of an address. */
export interface AddressNetwork {
  /** Number of the autonomous system; 0 where it is not known. */
  readonly asn: number;
  readonly name: string;
  /** ISO 3166-1 alpha-2; "" where it is not known. */
  readonly country: string;
}

/** Looks up the networks of addresses, one answer for each, in their order. */
export type LookUpNetworks = (
  addresses: readonly string[],
) => Promise<readonly AddressNetwork[]>;

/** Asks the traffic store. Rejects with Problem 503. */
export type AskTrafficStore = <R extends TrafficRequest>(
  request: R,
) => Promise<TrafficAnswers[R["do"]]>;

/** What {@link Insights} need from outside. */
export interface InsightsOptions {
  readonly ask: AskTrafficStore;
  readonly lookUp: LookUpNetworks;
  /** The name by which a device knows an address; "" for none. */
  readonly nameOf: (device: string, address: string) => string;
  readonly settings: () => InsightsSettings;
  /** Networks of devices, in CIDR form. */
  readonly networks: () => readonly string[];
  /** Networks of containers, in CIDR form. */
  readonly containers: () => readonly string[];
  /** Unix milliseconds, by the trusted clock. */
  readonly now: () => number;
  readonly steady: () => number;
  /** Called with what failed; it is tried again. */
  readonly failed: (error: unknown) => void;
}

/** Addresses of private networks, of which no lookup knows anything. */
const PRIVATE = ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10"]
  .map((text) => parseRange4(text)!);
const UNKNOWN: AddressNetwork = { asn: 0, name: "", country: "" };

/** Keeps the traffic of devices by destination. */
export class Insights {
  readonly #options: InsightsOptions;
  /** The last batch that is done with; undefined: not known yet. */
  #last: string | null | undefined = undefined;
  #trimAt = -Infinity;
  #trimming: Promise<void> = Promise.resolve();

  constructor(options: InsightsOptions) {
    this.#options = options;
  }

  /** The last batch that is done with; undefined while the store does not say. Never rejects. */
  async acknowledged(): Promise<string | null | undefined> {
    if (this.#last !== undefined) return this.#last;
    try {
      this.#last = await this.#options.ask({ do: "last" });
    } catch (error) {
      this.#options.failed(error);
    }
    return this.#last;
  }

  /** Stores a batch, once; where that fails it is to come again. Answers whether it is done with. */
  async take(batch: TrafficBatch): Promise<boolean> {
    const { ask, failed, now } = this.#options;
    if (batch.id === this.#last) return false;
    try {
      const traffic = this.#options.settings().Enabled ? await this.#named(batch) : [];
      await ask({ do: "store", batch: batch.id, at: now(), traffic });
      this.#last = batch.id;
      this.#trimSoon();
      return true;
    } catch (error) {
      failed(error);
      return false;
    }
  }

  /** Totals by country and network, as JSON. `until`: unix milliseconds. Rejects with Problem 503. */
  overview(minutes: number, until?: number): Promise<string> {
    const { ask, containers } = this.#options;
    return ask({ do: "overview", ...this.#window(minutes, until), containers: [...containers()] });
  }

  /** Destinations of a device, as JSON. Rejects with Problem 503. */
  device(address: string, minutes: number, until?: number): Promise<string> {
    return this.#options.ask({ do: "device", address, ...this.#window(minutes, until) });
  }

  /** Names with the most traffic, as JSON. Rejects with Problem 503. */
  names(minutes: number, until?: number): Promise<string> {
    return this.#options.ask({ do: "names", ...this.#window(minutes, until) });
  }

  /** Bytes of each hour or day, as JSON. Rejects with Problem 503. */
  history(minutes: number, filter: HistoryFilter): Promise<string> {
    return this.#options.ask({ do: "history", ...filter, ...this.#window(minutes) });
  }

  /** Applies changed settings. */
  changed(): void {
    this.#trimAt = -Infinity;
    this.#trimSoon();
  }

  async close(): Promise<void> {
    await this.#trimming;
  }

  /** What begins at the end of a window is not in it. */
  #window(minutes: number, until?: number): Window {
    const end = until ?? this.#options.now();
    return { from: end - minutes * 60_000, to: until === undefined ? end : end - 1 };
  }

  async #named({ pairs }: TrafficBatch): Promise<readonly NamedTraffic[]> {
    const { lookUp, nameOf, networks, containers } = this.#options;
    const traffic = remoteTraffic(pairs, localRanges([...networks(), ...containers()]));
    const addresses = [...new Set(traffic.map(({ remote }) => remote))].filter((one) => {
      const value = parseIpv4(one);
      return value !== null && !PRIVATE.some((range) => inRange4(range, value));
    });
    const found = await lookUp(addresses);
    const known = new Map(addresses.map((address, at) => [address, found[at] ?? UNKNOWN]));
    return traffic.map((one) => {
      const { asn, name, country } = known.get(one.remote) ?? UNKNOWN;
      return { ...one, domain: nameOf(one.device, one.remote), asn, network: name, country };
    });
  }

  #trimSoon(): void {
    const { steady, ask, now, settings, failed } = this.#options;
    if (steady() - this.#trimAt < TRIM_INTERVAL_MS) return;
    this.#trimAt = steady();
    const trim = async (): Promise<void> => {
      // A step at a time, so that requests come between.
      while (await ask({ do: "trim", now: now(), days: settings().RetentionDays }));
    };
    this.#trimming = this.#trimming.then(trim).catch(failed);
  }
}
