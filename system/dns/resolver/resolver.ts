import { inRange4, parseIpv4, parseRange4, type Range4 } from "../../core/net/net.ts";
import { PendingQueries, type QueryContext, type ReplyChannel } from "./pending_queries.ts";
import { type CompiledFilter, decide, rebindsAt } from "../block/verdict/verdict.ts";
import { type CacheLimits, DnsCache, prefetchFrom } from "./cache.ts";
import { type CacheEntry } from "./cache_entry.ts";
import { addressText } from "../codec/address_data.ts";
import type { DnsClient } from "./client.ts";
import { type Counters, newCounters } from "./counters.ts";
import { RewrittenResponses } from "./rewritten_responses.ts";
import { LOCAL_DOMAIN } from "../local/local_names.ts";
import { type LocalEntry, LocalZone } from "../local/local_zone.ts";
import { cachedAliases, cacheQuery, internalLookup, lookupOf } from "./lookup_request.ts";
import { type Lookup, Lookups } from "./lookups.ts";
import type { QuerySink } from "../log/writer/sink.ts";
import { DROP, parseQuery, QueryView } from "../codec/query.ts";
import { nameBytes } from "../codec/name.ts";
import { NameKey } from "../codec/name_key.ts";
import { LocalResponses, type ResponseDraft } from "../local/local_responses.ts";
import { IMMEDIATE } from "./query_record.ts";
import { ResponseCache } from "./response_cache.ts";
import type { ParsedResponse } from "../codec/response_parser.ts";
import type { DnsSnapshot } from "../config/snapshot_schema.ts";
import { type SpecialName, specialName } from "../local/special_names.ts";
import { ResponseWriter, type ResponseWriterOptions } from "./response_writer.ts";
import type { Sender } from "../../core/net/transport.ts";
import { Upstreams, type UpstreamsOptions } from "../upstream/upstreams.ts";
import { RCODE, TYPE, uint16 } from "../codec/constants.ts";

/** Size of the cache, unless the options say another. */
const CACHE_LIMITS: CacheLimits = { entries: 40_000, bytes: 32 * 1024 * 1024 };

const LOCAL_ZONE = nameBytes(LOCAL_DOMAIN)!;

/** What the resolver needs. */
export interface ResolverOptions extends UpstreamsOptions {
  /** Unix milliseconds. */
  readonly unixNow: () => number;
  /** The active block lists and custom rules. */
  readonly block: () => CompiledFilter;
  readonly log: Pick<QuerySink, "record"> | null;
  /** Size of the cache; default 40,000 entries in 32 MiB. */
  readonly cacheLimits?: CacheLimits;
}

/**
 * Answers queries from the local zone, by block lists and custom rules, from the cache, and else from
 * upstream resolvers. All but the last is done within {@link Resolver.handle}, without waiting.
 */
export class Resolver {
  readonly counters: Counters = newCounters();
  readonly upstreams: Upstreams;
  readonly cache: DnsCache;
  readonly lookups: Lookups;
  readonly #options: ResolverOptions;
  readonly #keys: NameKey;
  readonly #view = new QueryView();
  readonly #local = new LocalResponses();
  readonly #responseCache = new ResponseCache();
  readonly #writer: ResponseWriter;
  readonly #rewritten: RewrittenResponses;
  readonly #pending = new PendingQueries(this.counters);
  #clients: ReadonlyMap<string, DnsClient> = new Map();
  #zone: LocalZone;
  #networks: readonly Range4[] = [];
  #names = "";
  /** Key of the query name that is being answered. */
  #nameKey = 0;

  constructor(options: ResolverOptions) {
    this.#options = options;
    const { clock, random } = options;
    const { counters } = this;
    const seed = random(8);
    this.#keys = new NameKey(
      uint16(seed, 0) << 16 | uint16(seed, 2),
      uint16(seed, 4) << 16 | uint16(seed, 6),
    );
    this.#zone = new LocalZone([], this.#keys);
    this.cache = new DnsCache(this.#keys, options.cacheLimits ?? CACHE_LIMITS);
    this.upstreams = new Upstreams(options);
    this.lookups = new Lookups({
      cache: this.cache,
      clock,
      counters,
      privateAddress: firstPrivateAddress,
    });
    const rewrite: ResponseWriterOptions["rewrite"] = (draft, context, verdict, alias) =>
      this.#rewritten.respond(draft, context, verdict, alias) ?? 0;
    this.#writer = new ResponseWriter({
      ...options,
      localResponses: this.#local,
      responseCache: this.#responseCache,
      counters,
      zone: () => this.#zone,
      rewrite,
    });
    this.#rewritten = new RewrittenResponses({
      ...options,
      counters,
      localResponses: this.#local,
      writer: this.#writer,
      pending: this.#pending,
      lookups: this.lookups,
      cache: this.cache,
      upstreams: this.upstreams,
      zone: () => this.#zone,
    });
  }

  /** Makes a snapshot the active one. */
  configure(snapshot: DnsSnapshot): void {
    if (this.upstreams.configure(snapshot)) this.flush();
    this.#responseCache.clear();
    const names = JSON.stringify(snapshot.names);
    if (names !== this.#names) this.#zone = new LocalZone(snapshot.names, this.#keys);
    this.#names = names;
    // Of two clients with one address the first counts.
    this.#clients = new Map(snapshot.clients.toReversed().map((one) => [one.address, one]));
    this.#networks = snapshot.networks.map(parseRange4).filter((range) => range !== null);
  }

  /** True for a local or special-use name, with or without final dot. */
  isLocal(name: string): boolean {
    const wire = nameBytes(name.toLowerCase());
    if (wire === null) return false;
    const labels = name.replace(/\.$/, "").split(".").length;
    return this.#zone.find(wire, wire.length) !== null ||
      specialName(wire, labels, TYPE.A) !== null;
  }

  /** Aliases in the cached response to a client, in their order and without final dot. */
  aliasesOf(name: string, address: string): readonly string[] {
    const wire = nameBytes(name.toLowerCase());
    if (wire === null) return [];
    const group = this.upstreams.groupOf(this.#clients.get(address));
    return cachedAliases(wire, { group, cache: this.cache });
  }

  /** True for an address of the LAN. */
  isLocalAddress(address: string): boolean {
    return this.#isLan(address);
  }

  /** Flushes the cache. */
  flush(): void {
    this.cache.clear();
    this.#responseCache.clear();
    this.lookups.reset();
  }

  close(): void {
    this.upstreams.close();
  }

  /** Handles one query; returns the length of the response in `out`, 0 when there is none yet. */
  handle(query: Uint8Array, out: Uint8Array, from: Sender, channel: ReplyChannel): number {
    const { counters } = this;
    counters.queries++;
    const arrival = from.arrival ??
      { unix: this.#options.unixNow(), monotonic: this.#options.clock.now() };
    if (channel.stream) counters.overTcp++;
    else {
      const hit = this.#responseCache.find(query, from, arrival, this.#options.block());
      if (hit !== null) {
        counters[hit.counter]++;
        const length = hit.write(query, out, arrival.monotonic);
        return this.#writer.recordHit(hit, { out, length, from, at: arrival.unix });
      }
    }
    const view = this.#view;
    const code = parseQuery(query, view);
    if (code === DROP) {
      counters.dropped++;
      if (channel.stream) channel.send(null, from);
      return 0;
    }
    const draft: ResponseDraft = { query, view, out, limit: channel.limit(view) };
    const client = this.#clients.get(from.address);
    if (client === undefined && !this.#isLan(from.address)) {
      counters.unauthorizedClients++;
      if (channel.stream) channel.send(null, from);
      return 0;
    }
    if (code !== 0) {
      if (code === RCODE.REFUSED) counters.refused++;
      else counters.malformed++;
      return this.#local.code(draft, { code });
    }
    return this.#decide(draft, {
      from,
      channel,
      client,
      receivedAt: arrival.unix,
      startedAt: arrival.monotonic,
    });
  }

  /** The addresses of a name by the default upstream resolvers; for the router's own needs. */
  addresses(name: string, type: number = TYPE.A): Promise<readonly string[]> {
    const wire = nameBytes(name.toLowerCase());
    if (wire === null) return Promise.reject(new Error(`"${name}" is not a valid name`));
    if (this.isLocal(name)) return Promise.reject(new Error(`"${name}" is a local name`));
    const lookup = internalLookup(wire, {
      type,
      group: this.upstreams.groupOf(undefined),
      cache: this.cache,
    });
    const cached = this.#cached(lookup);
    if (cached !== null) return Promise.resolve(cached.response.addresses);
    return new Promise((resolve, reject) => {
      const started = this.lookups.find(lookup, null, (found) => {
        if (found === null) reject(new Error("No upstream resolver responds"));
        else resolve(found.entry.response.addresses);
      });
      if (!started) reject(new Error("Too many lookups are running"));
    });
  }

  #isLan(address: string): boolean {
    const value = parseIpv4(address);
    return value !== null && this.#networks.some((range) => inRange4(range, value));
  }

  #decide(draft: ResponseDraft, by: Omit<QueryContext, "verdict">): number {
    const { counters } = this;
    const { view } = draft;
    const { from, channel, client, receivedAt, startedAt } = by;
    const name = this.#nameKey = this.#keys.of(view.name, view.nameLength);
    const local = this.#zone.find(view.name, view.nameLength, name);
    const special = local === null ? specialName(view.name, view.labels, view.type) : null;
    const verdict = decide({
      name: view.name,
      key: name,
      client,
      address: from.address,
      now: receivedAt,
      local: local !== null || special !== null,
    }, this.#options.block());
    const context: QueryContext = { from, channel, client, verdict, receivedAt, startedAt };
    if (verdict.kind === "pass") return this.#pass(draft, context, local, special);
    if (verdict.kind === "rewrite" && verdict.cname !== undefined) {
      const length = this.#rewritten.respond(draft, context, verdict);
      if (length !== null) return length;
      const { by, categories } = verdict;
      const permitted: QueryContext = {
        ...context,
        verdict: { kind: "pass", permitted: by, categories },
      };
      return this.#pass(draft, permitted, local, special);
    }
    if (verdict.kind === "block") {
      counters.blocked++;
      const length = this.#writer.blocked(draft, context);
      return this.#writer.finishCacheable(draft, context, length, "blocked");
    }
    const { address } = verdict;
    if (verdict.kind === "quarantine") counters.quarantined++;
    else counters.rewritten++;
    const length = address === undefined
      ? this.#local.blocked(draft)
      : this.#local.address(draft, address);
    return this.#writer.finish(draft, context, length, IMMEDIATE);
  }

  #pass(
    draft: ResponseDraft,
    context: QueryContext,
    local: LocalEntry | null,
    special: SpecialName | null,
  ): number {
    const { view } = draft;
    if (local !== null) {
      this.counters.local++;
      const length = this.#local.local(draft, local, LOCAL_ZONE);
      return this.#writer.finishCacheable(draft, context, length, "local");
    }
    if (special !== null) {
      this.counters.specialUse++;
      const hasBelow = this.#writer.hasBelow(draft, context, false);
      const length = this.#local.special(draft, special, hasBelow);
      return this.#writer.finishCacheable(draft, context, length, "specialUse");
    }
    if (view.type === TYPE.ANY) return this.#writer.finish(draft, context, this.#local.any(draft));
    const group = this.upstreams.groupOf(context.client);
    const query = cacheQuery(view, group);
    const key = this.cache.keyOf(query, this.#nameKey);
    const cached = this.cache.find(key, query);
    const now = context.startedAt;
    if (cached !== null && now < cached.expiresAt) {
      this.counters.cacheHits++;
      if (now >= prefetchFrom(cached) && this.lookups.mayPrefetch(key, now)) {
        this.lookups.prefetch(lookupOf(view, group, key), cached);
      }
      return this.#writer.respond(draft, context, { entry: cached, stale: false }, false);
    }
    // Without recursion desired (RFC 1035 4.1.1) there is nothing to respond with.
    if (!view.recursion) {
      this.counters.refused++;
      return this.#writer.finish(draft, context, this.#local.code(draft, { code: RCODE.REFUSED }));
    }
    const lookup = lookupOf(view, group, key);
    return this.#pending.add(
      draft,
      context,
      (done) => this.lookups.find(lookup, cached, done),
      (found, later) => this.#writer.respond(later, context, found, true),
    );
  }

  #cached({ key, query }: Lookup): CacheEntry | null {
    const cached = this.cache.find(key, query);
    return cached !== null && this.#options.clock.now() < cached.expiresAt ? cached : null;
  }
}

/** The first private address in a response, as text; null for none. */
function firstPrivateAddress({ bytes, addressRanges }: ParsedResponse): string | null {
  for (let i = 0; i < addressRanges.length; i += 2) {
    const at = addressRanges[i]!, size = addressRanges[i + 1]!;
    if (rebindsAt(bytes, at, size)) return addressText(bytes.subarray(at, at + size));
  }
  return null;
}
