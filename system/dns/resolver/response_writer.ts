import { encodeStored, OPT_SIZE } from "../codec/response_encoder.ts";
import type { QueryContext } from "./pending_queries.ts";
import {
  type CnameVerdict,
  cnameVerdict,
  type RewriteVerdict,
} from "../block/verdict/cname_verdict.ts";
import { existsByOverride } from "../block/verdict/names_below.ts";
import { type CompiledFilter, rebinds } from "../block/verdict/verdict.ts";
import { type CacheEntry } from "./cache_entry.ts";
import { prefetchFrom } from "./cache.ts";
import type { Counters } from "./counters.ts";
import type { QuerySink } from "../log/writer/sink.ts";
import type { LookupResult } from "./lookups.ts";
import type { LocalZone } from "../local/local_zone.ts";
import type { LocalResponses, ResponseDraft } from "../local/local_responses.ts";
import { IMMEDIATE, LOCAL_RESPONSE, type ResponseDetails, ReusedRecord } from "./query_record.ts";
import type { CachedResponse, ResponseCache, ResponseFacts } from "./response_cache.ts";
import type { Sender } from "../../core/net/transport.ts";
import type { Clock } from "../../core/time/clock.ts";
import { EXTENDED_ERROR, FLAG, RCODE, uint16 } from "../codec/constants.ts";

/** TTL of a stale response (RFC 8767 5). */
const STALE_TTL_S = 30;

const NO_DETAILS: ResponseDetails = {};
const NONE: readonly number[] = [];

/** What writing responses needs. */
export interface ResponseWriterOptions {
  readonly localResponses: LocalResponses;
  /** Takes responses that may be repeated. */
  readonly responseCache: ResponseCache;
  readonly clock: Clock;
  readonly unixNow: () => number;
  readonly counters: Counters;
  readonly block: () => CompiledFilter;
  readonly log: Pick<QuerySink, "record"> | null;
  /** The local names. */
  readonly zone: () => LocalZone;
  /** Responds with the rewrite of an alias in an upstream response; 0 for later. */
  readonly rewrite: (
    draft: ResponseDraft,
    context: QueryContext,
    verdict: RewriteVerdict,
    alias: string,
  ) => number;
}

/** Writes responses with upstream data, as far as the client may have it, and counts and logs all responses. */
export class ResponseWriter {
  readonly #options: ResponseWriterOptions;
  readonly #record = new ReusedRecord();

  constructor(options: ResponseWriterOptions) {
    this.#options = options;
  }

  /** Responds with what a lookup found. `fresh`: it came from an upstream resolver just now. */
  respond(
    draft: ResponseDraft,
    context: QueryContext,
    found: LookupResult,
    fresh: boolean,
  ): number {
    const { localResponses, counters, clock } = this.#options;
    if (found === null) {
      const kind = { code: RCODE.SERVFAIL, extendedError: EXTENDED_ERROR.NO_AUTHORITY };
      return this.finish(draft, context, localResponses.code(draft, kind));
    }
    const { entry, stale } = found;
    const details = fresh ? stale ? NO_DETAILS : { upstream: entry.upstream } : IMMEDIATE;
    const decided = this.#aliasVerdict(entry, context);
    if (decided !== null) {
      const { verdict, name } = decided;
      if (verdict.kind === "rewrite") return this.#options.rewrite(draft, context, verdict, name);
      counters.blocked++;
      const decidedContext = { ...context, verdict };
      return this.finish(draft, decidedContext, this.blocked(draft, decidedContext), details);
    }
    if (entry.privateAddress !== null && this.#checksRebinding(context)) {
      counters.rebindingBlocked++;
      const { privateAddress } = entry;
      const rebinding = { kind: "rebind", privateAddress, ...details } as const;
      return this.finish(draft, context, this.blocked(draft, context), rebinding);
    }
    if (stale) counters.stale++;
    // A cache hit is answered in the moment in which the query came.
    const now = fresh ? clock.now() : context.startedAt;
    const age = Math.max(0, Math.floor((now - entry.receivedAt) / 1000));
    const extendedError = entry.response.code === RCODE.NXDOMAIN
      ? EXTENDED_ERROR.STALE_NXDOMAIN
      : EXTENDED_ERROR.STALE;
    const hasName = entry.response.code === RCODE.NXDOMAIN && this.hasBelow(draft, context, false);
    const options = {
      age,
      limit: draft.limit,
      ...(hasName ? { code: RCODE.NOERROR } : {}),
      ...(stale ? { ttl: STALE_TTL_S, extendedError } : {}),
    };
    const length = encodeStored(entry.response, draft, draft.out, options);
    if (!fresh && !stale && this.#isCacheable(draft, context)) {
      this.#storeHit(draft, context, length, entry);
    }
    return this.finish(draft, context, length, details);
  }

  /** Writes the response to a name that is blocked; returns its length. */
  blocked(draft: ResponseDraft, context: QueryContext): number {
    const { verdict } = context;
    const exists = (verdict.kind === "block" && verdict.nodata === true) ||
      this.hasBelow(draft, context, true);
    return this.#options.localResponses.blocked(draft, exists);
  }

  /**
   * True when a name below the query name is answered here, so that it exists as well (RFC 8020).
   * `permitted`: whether one that is only permitted counts.
   */
  hasBelow({ view }: ResponseDraft, context: QueryContext, permitted: boolean): boolean {
    const { from, client, receivedAt: now } = context;
    const by = {
      address: from.address,
      tags: client?.tags ?? [],
      groups: client?.groups ?? [],
      now,
    };
    return this.#options.zone().hasBelow(view.name, view.nameLength) ||
      existsByOverride(view.name, by, this.#options.block(), permitted);
  }

  /** As {@link finish}, for a local or blocked response, which stays the same at any time. */
  finishCacheable(
    draft: ResponseDraft,
    context: QueryContext,
    length: number,
    counter: "local" | "specialUse" | "blocked",
  ): number {
    const details = counter === "blocked" ? IMMEDIATE : LOCAL_RESPONSE;
    if (this.#isCacheable(draft, context)) {
      const { client, verdict, startedAt: receivedAt } = context;
      const facts = { client, verdict, details, counter, receivedAt, until: Infinity, ttls: NONE };
      this.#store(draft, context, length, facts);
    }
    return this.finish(draft, context, length, details);
  }

  /** Logs a response that came from the response cache; returns its length. */
  recordHit(
    hit: CachedResponse,
    { out, length, from, at }: {
      readonly out: Uint8Array;
      readonly length: number;
      readonly from: Sender;
      readonly at: number;
    },
  ): number {
    const { log } = this.#options;
    if (log === null) return length;
    const record = this.#record;
    record.take(hit.name, from, hit, hit.details);
    record.at = at;
    record.ms = 0;
    record.message = out;
    record.length = length;
    log.record(record);
    return length;
  }

  /** True for a whole response over UDP to a query that is repeated. */
  #isCacheable({ out }: ResponseDraft, { channel }: QueryContext): boolean {
    return !channel.stream && (uint16(out, 2) & FLAG.TC) === 0 &&
      this.#options.responseCache.isRepeated;
  }

  #storeHit(
    draft: ResponseDraft,
    context: QueryContext,
    length: number,
    entry: CacheEntry,
  ): void {
    const { response: { ttls, ttlCount }, receivedAt } = entry;
    const { client, verdict } = context;
    const until = prefetchFrom(entry);
    // What was left out of the response, for want of room, has no TTL in it.
    const end = draft.view.edns ? length - OPT_SIZE : length;
    this.#store(draft, context, length, {
      ...{ client, verdict, receivedAt, until },
      details: IMMEDIATE,
      counter: "cacheHits",
      ttls: ttls.slice(0, ttlCount).filter((at) => at < end),
    });
  }

  #store(
    { query, view, out }: ResponseDraft,
    context: QueryContext,
    length: number,
    facts: ResponseFacts,
  ): void {
    const { from, startedAt: now } = context;
    const { name, nameLength } = view;
    this.#options.responseCache.store({ query, name, nameLength, out, length, from, now }, facts);
  }

  /** Counts and logs a response; returns its length. */
  finish(
    draft: ResponseDraft,
    context: QueryContext,
    length: number,
    details: ResponseDetails = NO_DETAILS,
  ): number {
    const { log, clock, counters, unixNow } = this.#options;
    if ((uint16(draft.out, 2) & FLAG.TC) !== 0) counters.truncated++;
    if (log === null) return length;
    const record = this.#record;
    record.take(draft.view.name, context.from, context, details);
    const { immediate = false } = details;
    record.at = immediate ? context.receivedAt : unixNow();
    record.ms = immediate ? 0 : clock.now() - context.startedAt;
    record.message = draft.out;
    record.length = length;
    log.record(record);
    return length;
  }

  /** The verdict on an alias in the response; null for none, and where a rule permits the query name. */
  #aliasVerdict(
    { response }: CacheEntry,
    { from, client, verdict }: QueryContext,
  ): CnameVerdict | null {
    if (response.aliases.length === 0 || verdict.kind !== "pass") return null;
    if (verdict.permitted !== undefined) return null;
    const now = this.#options.unixNow();
    return cnameVerdict(response, { client, address: from.address, now }, this.#options.block());
  }

  /** Whether private addresses are refused. A device's own resolver in the LAN may return them. */
  #checksRebinding({ verdict, client }: QueryContext): boolean {
    if (this.#options.block().config.RebindingCheckDisable) return false;
    if (verdict.kind === "pass" && verdict.permitted !== undefined) return false;
    return client === undefined || client.custom === "" || !rebinds(client.custom);
  }
}
