import { createHash } from "node:crypto";
import * as z from "zod";
import { writeDurably } from "../core/config/files.ts";
import { Problem } from "../core/errors/problem.ts";
import { errorText } from "../core/errors/error_text.ts";
import type { Bus } from "../core/events/bus.ts";
import { type BlockedRanges, countPrefixes, decodeRanges } from "../core/kernel/blocked_ranges.ts";
import type { BlockedCounters, Host } from "../core/kernel/host.ts";
import type { Log } from "../core/log/log.ts";
import type { BlockedNow } from "./blocked_now.ts";
import type { GeoBlockConfig, GeoBlockStatus, GeoSource } from "./schema.ts";

/** Milliseconds between two looks at what is due, and before another attempt after a failure. */
const LOOK_INTERVAL_MS = 60_000;
const RETRY_DELAY_MS = 5000;
/** Milliseconds before a list is downloaded again whose download failed. */
const LIST_RETRY_MS = 15 * 60_000;

/** What became of the downloads of a list. */
const ListRecord = z.object({
  fetched: z.number(),
  tried: z.number(),
  asns: z.number(),
  error: z.string(),
});
type ListRecord = z.infer<typeof ListRecord>;

const Records = z.record(z.string(), ListRecord);

const NEW_LIST: ListRecord = { fetched: 0, tried: 0, asns: 0, error: "" };

/** Dependencies of {@link GeoBlocking}. */
export interface GeoBlockingDeps {
  readonly config: () => GeoBlockConfig;
  readonly host: () => Host;
  /** False while nothing is applied to the kernel. */
  readonly isApplied: () => boolean;
  readonly bus: Pick<Bus, "subscribe" | "publish">;
  readonly blocked: BlockedNow;
  /** Prefixes of what is to be blocked, from the lookup service. */
  readonly ranges: (
    wish: {
      readonly countries: readonly string[];
      readonly asns: readonly number[];
      readonly lists: readonly string[];
    },
  ) => Promise<Uint8Array<ArrayBuffer>>;
  /** Downloads a list and keeps it; answers how many networks it names. */
  readonly fetchList: (uri: string, id: string) => Promise<{ readonly asns: number }>;
  /** File of what became of downloads. */
  readonly path: string;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly log: Pick<Log, "warn">;
  /** False: nothing is done by time. */
  readonly live: boolean;
}

/** Keeps the kernel's blocked ranges at what is configured, and the lists up to date. */
export class GeoBlocking {
  readonly #deps: GeoBlockingDeps;
  #records: Record<string, ListRecord> = {};
  #last: Promise<void> = Promise.resolve();
  #counting: Promise<void> = Promise.resolve();
  #timer: ReturnType<typeof setTimeout> | null = null;
  #unsubscribe = (): void => {};
  #closed = false;
  #lastRefresh = "";
  #error = "";
  /** Digest of the ranges that were loaded. */
  #loaded = "";
  #programmed = 0;

  private constructor(deps: GeoBlockingDeps) {
    this.#deps = deps;
  }

  /** Begins to follow the configuration. */
  static async open(deps: GeoBlockingDeps): Promise<GeoBlocking> {
    const geo = new GeoBlocking(deps);
    try {
      geo.#records = Records.parse(JSON.parse(await Deno.readTextFile(deps.path)));
    } catch {
      // Nothing was downloaded before.
    }
    geo.#unsubscribe = deps.bus.subscribe(() => void geo.follow(), ["geo_block"]);
    geo.#schedule(0);
    return geo;
  }

  /** Loads what is configured now, after what is being loaded. Never throws: the status tells. */
  follow(options: { readonly fetch?: boolean } = {}): Promise<void> {
    this.#last = this.#last.then(() => this.#follow(options.fetch ?? false));
    return this.#last;
  }

  /** Downloads the lists and loads everything anew; resolves once it was counted in the kernel. */
  async refresh(): Promise<void> {
    this.#loaded = "";
    await this.follow({ fetch: true });
    await this.#counting;
  }

  /** What is blocked, with the kernel's counters. */
  async status(): Promise<GeoBlockStatus> {
    const { config, host, blocked, isApplied } = this.#deps;
    const { Enabled } = config();
    const counters = isApplied() ? await host().blocked() : null;
    const isMissing = Enabled && blocked.ranges !== null && counters === null;
    return {
      Enabled,
      LastRefresh: this.#lastRefresh,
      RangesProgrammed: counters === null ? 0 : this.#programmed,
      Sources: this.#sources(counters ?? {}),
      Error: isMissing ? "The kernel has no table of blocked ranges" : this.#error,
    };
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#unsubscribe();
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#last;
    await this.#counting;
  }

  #sources(counters: BlockedCounters): GeoSource[] {
    const { config, blocked } = this.#deps;
    const { DenyCountries, DenyASNs, Lists } = config();
    const ranges = rangesBySource(blocked.ranges);
    const source = (Type: GeoSource["Type"], key: string, Key = key): GeoSource => ({
      Type,
      Key,
      Ranges: ranges.get(`${Type} ${key}`) ?? 0,
      ASNs: 0,
      LastFetch: "",
      Error: "",
      Packets: counters[`${Type} ${key}`]?.packets ?? 0,
      Bytes: counters[`${Type} ${key}`]?.bytes ?? 0,
    });
    return [
      ...DenyCountries.map((code) => source("country", code)),
      ...DenyASNs.map(({ ASN }) => source("asn", String(ASN))),
      ...Lists.filter((list) => list.Enabled).map(({ URI }) => {
        const { fetched, asns, error } = this.#records[URI] ?? NEW_LIST;
        const LastFetch = fetched === 0 ? "" : new Date(fetched).toISOString();
        return { ...source("list", idOf(URI), URI), ASNs: asns, LastFetch, Error: error };
      }),
    ];
  }

  async #follow(fetch: boolean): Promise<void> {
    if (this.#closed || !this.#deps.isApplied()) return this.#schedule(RETRY_DELAY_MS);
    try {
      const config = this.#deps.config();
      if (config.Enabled) await this.#load(config, fetch);
      else await this.#unload();
      this.#error = "";
      this.#schedule(LOOK_INTERVAL_MS);
    } catch (error) {
      const text = errorText(error);
      if (text !== this.#error) {
        this.#deps.log.warn("geo.blocking_failed", "Countries and networks could not be blocked", {
          error,
        });
      }
      // What stood before stays.
      this.#error = text;
      this.#schedule(RETRY_DELAY_MS);
    }
  }

  async #load(config: GeoBlockConfig, fetch: boolean): Promise<void> {
    const { host, ranges, blocked, bus } = this.#deps;
    const lists = config.Lists.filter(({ Enabled }) => Enabled).map(({ URI }) => URI);
    const renewed = await this.#fetchDue(lists, config.RefreshSeconds, fetch);
    const bytes = await ranges({
      countries: config.DenyCountries,
      asns: config.DenyASNs.map(({ ASN }) => ASN),
      lists: lists.map(idOf),
    });
    const digest = createHash("sha256").update(bytes).digest("hex");
    if (digest === this.#loaded && !renewed && await host().blocked() !== null) return;
    const next = decodeRanges(bytes);
    await host().block(next);
    blocked.ranges = next;
    this.#loaded = digest;
    this.#programmed = countPrefixes(next);
    this.#lastRefresh = new Date(this.#deps.now()).toISOString();
    this.#counting = this.#count();
    bus.publish("firewall:geo_block:refresh", await this.status());
  }

  async #unload(): Promise<void> {
    const { host, blocked } = this.#deps;
    if (await host().blocked() !== null) await host().block(null);
    blocked.ranges = null;
    this.#loaded = "";
    this.#programmed = 0;
  }

  /** Counts what the kernel has. */
  async #count(): Promise<void> {
    const loaded = this.#loaded;
    try {
      const count = await this.#deps.host().countBlocked();
      if (loaded === this.#loaded) this.#programmed = count;
    } catch (error) {
      this.#deps.log.warn("geo.count_failed", "The blocked ranges could not be counted", { error });
    }
  }

  /** Downloads the lists that are due; true where one has new content. */
  async #fetchDue(lists: readonly string[], seconds: number, all: boolean): Promise<boolean> {
    const { now, fetchList } = this.#deps;
    let renewed = false;
    for (const uri of lists) {
      const record = this.#records[uri] ?? NEW_LIST;
      const age = now() - record.fetched;
      const isDue = age < 0 || age >= 1000 * seconds &&
          (record.error === "" || Math.abs(now() - record.tried) >= LIST_RETRY_MS);
      if (!all && !isDue) continue;
      try {
        const { asns } = await fetchList(uri, idOf(uri));
        this.#records[uri] = { fetched: now(), tried: now(), asns, error: "" };
        renewed = true;
      } catch (error) {
        this.#records[uri] = { ...record, tried: now(), error: textOf(error) };
      }
    }
    const known = new Set(this.#deps.config().Lists.map(({ URI }) => URI));
    this.#records = Object.fromEntries(
      Object.entries(this.#records).filter(([uri]) => known.has(uri)),
    );
    if (lists.length > 0) {
      await writeDurably(this.#deps.path, JSON.stringify(this.#records), "new");
    }
    return renewed;
  }

  #schedule(delay: number): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#closed || !this.#deps.live) return;
    this.#timer = setTimeout(() => void this.follow(), delay);
    Deno.unrefTimer(this.#timer);
  }
}

/** Why a download failed, for people. */
function textOf(error: unknown): string {
  return error instanceof Problem ? error.message : errorText(error);
}

/** Identifier of a list for the other processes. */
function idOf(uri: string): string {
  return createHash("sha256").update(uri).digest("hex").slice(0, 16);
}

/** Number of prefixes of each source. */
function rangesBySource(ranges: BlockedRanges | null): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  if (ranges === null) return counts;
  const names = ranges.sources.map(({ type, key }) => `${type} ${key}`);
  for (const { owners } of ranges.groups) {
    for (const owner of owners) counts.set(names[owner]!, (counts.get(names[owner]!) ?? 0) + 1);
  }
  return counts;
}
