import { type DnsCache, isOf, isUsableStale } from "./cache.ts";
import { type CacheEntry, type CacheQuery } from "./cache_entry.ts";
import type { Counters } from "./counters.ts";
import { KeyTable } from "../../core/data/key_table.ts";
import type { ParsedResponse } from "../codec/response_parser.ts";
import type { UpstreamGroup, UpstreamResponse } from "../upstream/group.ts";
import type { Clock } from "../../core/time/clock.ts";
import type { UpstreamQuery } from "../upstream/upstream_query.ts";

/** Lookups that run at once, and queries that wait for one of them. */
const MAX_LOOKUPS = 1000, MAX_WAITERS = 200;
/** Wait for a fresh response before a stale one is served (RFC 8767 5). */
const STALE_DELAY_MS = 1800;
/** Pause after a failed lookup, with a stale entry and without one (RFC 9520 3.2). */
const STALE_RETRY_DELAY_MS = 30_000, FAILURE_RETRY_DELAY_MS = 2000;
/** Names with such a pause. */
const MAX_BACKOFFS = 10_000;

/** The resolvers that a lookup uses. */
export interface LookupUpstream {
  readonly id: number;
  readonly upstream: Pick<UpstreamGroup, "query" | "isDown">;
}

/** What a lookup found, fresh or stale; null for nothing. */
export type LookupResult = { readonly entry: CacheEntry; readonly stale: boolean } | null;

/** Called once. */
export type Waiter = (found: LookupResult) => void;

/** A query to upstream resolvers, with a name of its own. */
export interface Lookup {
  readonly key: number;
  readonly query: CacheQuery & UpstreamQuery;
  readonly group: LookupUpstream;
}

/** A running lookup, and what waits for its result. */
interface Running {
  readonly query: CacheQuery;
  readonly waiters: Waiter[];
}

/** A pause after a failed lookup. */
interface Backoff {
  readonly until: number;
  /** The response that reports the failure; null when there was none, or a stale entry is served. */
  readonly failure: CacheEntry | null;
}

/** What lookups need. */
export interface LookupsOptions {
  readonly cache: DnsCache;
  readonly clock: Clock;
  readonly counters: Counters;
  /** The first private address in a response; null for none. */
  readonly privateAddress: (response: ParsedResponse) => string | null;
}

/**
 * The running lookups: each query goes upstream once, however many wait for it. While it takes long, or
 * when no resolver responds, a stale entry is served.
 */
export class Lookups {
  readonly #options: LookupsOptions;
  readonly #running = new KeyTable<Running>();
  /** Failed lookups: when each may run again, and the failure that a resolver responded with. */
  readonly #backoffs = new Map<number, Backoff>();
  #generation = 0;

  constructor(options: LookupsOptions) {
    this.#options = options;
  }

  /** Lookups that are running. */
  get running(): number {
    return this.#running.size;
  }

  /** Running lookups still serve those who wait, but are not cached: the resolvers have changed. */
  reset(): void {
    this.#generation++;
    this.#backoffs.clear();
    this.#running.clear();
  }

  /** Looks a query up; false when too many lookups are running. `cached`: its expired entry. */
  find(lookup: Lookup, cached: CacheEntry | null, waiter: Waiter): boolean {
    const { clock, counters } = this.#options;
    const now = clock.now();
    const old = cached !== null && isUsableStale(cached, now) ? cached : null;
    const backoff = this.#backoffOf(lookup.key, now);
    if (backoff !== null) {
      const failure = backoff.failure !== null && isOf(backoff.failure, lookup.query)
        ? { entry: backoff.failure, stale: false }
        : null;
      waiter(old === null ? failure : { entry: old, stale: true });
      return true;
    }
    // The cache lends its entries for this moment alone.
    const stale = old === null ? null : this.#options.cache.detach(old);
    // While the resolvers are down nothing waits for them.
    const isDown = stale !== null && lookup.group.upstream.isDown;
    if (isDown) {
      waiter({ entry: stale, stale: true });
      if (this.mayPrefetch(lookup.key, now)) this.#start(lookup, stale, []);
      return true;
    }
    const running = this.#running.get(lookup.key);
    if (running !== undefined) {
      const { query, waiters } = running;
      if (waiters.length >= MAX_WAITERS || !isSame(query, lookup.query)) return false;
      counters.coalesced++;
      waiters.push(this.#withStaleTimeout(waiter, stale));
      return true;
    }
    if (this.#running.size >= MAX_LOOKUPS) {
      if (stale === null) return false;
      waiter({ entry: stale, stale: true });
      return true;
    }
    this.#start(lookup, stale, [this.#withStaleTimeout(waiter, stale)]);
    return true;
  }

  /** True when an entry may be looked up again before it expires. */
  mayPrefetch(key: number, now: number): boolean {
    return this.#running.size < MAX_LOOKUPS / 2 && !this.#running.has(key) &&
      this.#backoffOf(key, now) === null;
  }

  /** Looks up an entry again that is about to expire; nothing waits for it. */
  prefetch(lookup: Lookup, found: CacheEntry): void {
    this.#options.counters.prefetched++;
    this.#start(lookup, this.#options.cache.detach(found), []);
  }

  /** A waiter that gets the stale entry when the lookup takes long. */
  #withStaleTimeout(waiter: Waiter, stale: CacheEntry | null): Waiter {
    if (stale === null) return waiter;
    let notified = false;
    const notify = (found: LookupResult): void => {
      if (notified) return;
      notified = true;
      cancel();
      waiter(found);
    };
    const cancel = this.#options.clock.after(
      STALE_DELAY_MS,
      () => notify({ entry: stale, stale: true }),
    );
    return notify;
  }

  #start(lookup: Lookup, stale: CacheEntry | null, waiters: Waiter[]): void {
    const { key, query, group } = lookup;
    const generation = this.#generation;
    this.#running.set(key, { query, waiters });
    this.#options.counters.upstreamQueries++;
    group.upstream.query(query, (result) => {
      const found = result === null ? null : this.#take(lookup, stale, result, generation);
      this.#notify(lookup, { stale, waiters, generation, found });
    });
  }

  #notify({ key }: Lookup, { stale, waiters, generation, found }: {
    readonly stale: CacheEntry | null;
    readonly waiters: readonly Waiter[];
    readonly generation: number;
    readonly found: CacheEntry | null;
  }): void {
    const now = this.#options.clock.now();
    if (this.#running.get(key)?.waiters === waiters) this.#running.delete(key);
    if (found !== null) return notifyAll(waiters, { entry: found, stale: false });
    this.#options.counters.failed++;
    if (generation === this.#generation) {
      const wait = stale === null ? FAILURE_RETRY_DELAY_MS : STALE_RETRY_DELAY_MS;
      this.#backOff(key, { until: now + wait, failure: null }, now);
    }
    notifyAll(waiters, stale === null ? null : { entry: stale, stale: true });
  }

  /** Caches a good response; null for one that is worse than the stale entry. */
  #take(
    { key, query }: Lookup,
    stale: CacheEntry | null,
    { response, upstream, uncacheable }: UpstreamResponse,
    generation: number,
  ): CacheEntry | null {
    const { cache, clock, privateAddress } = this.#options;
    const usable = response.code === 0 || response.code === 3;
    if (!usable && stale !== null) return null;
    const received = {
      response,
      upstream,
      privateAddress: privateAddress(response),
      now: clock.now(),
    };
    if (usable && response.ttl > 0 && !uncacheable && generation === this.#generation) {
      this.#backoffs.delete(key);
      return cache.put(key, query, received);
    }
    const entry = cache.entryOf(query, received);
    if (!usable && generation === this.#generation) {
      const now = clock.now();
      this.#backOff(key, { until: now + FAILURE_RETRY_DELAY_MS, failure: entry }, now);
    }
    return entry;
  }

  #backoffOf(key: number, now: number): Backoff | null {
    const backoff = this.#backoffs.size > 0 ? this.#backoffs.get(key) : undefined;
    return backoff !== undefined && now < backoff.until ? backoff : null;
  }

  #backOff(key: number, backoff: Backoff, now: number): void {
    if (this.#backoffs.size >= MAX_BACKOFFS) {
      for (const [other, { until }] of this.#backoffs) {
        if (until <= now) this.#backoffs.delete(other);
      }
      if (this.#backoffs.size >= MAX_BACKOFFS) this.#backoffs.clear();
    }
    this.#backoffs.set(key, backoff);
  }
}

/** False for queries whose keys collide: none may get the response of the other. */
function isSame(a: CacheQuery, b: CacheQuery): boolean {
  if (a.nameLength !== b.nameLength || a.type !== b.type || a.variant !== b.variant) return false;
  for (let i = 0; i < a.nameLength; i++) if (a.name[i] !== b.name[i]) return false;
  return true;
}

function notifyAll(waiters: readonly Waiter[], found: LookupResult): void {
  for (const notify of waiters) {
    try {
      notify(found);
    } catch (error) {
      // An error with one query must not hold up the others.
      reportError(error);
    }
  }
}
