import type { PendingQueries, QueryContext } from "./pending_queries.ts";
import type { RewriteVerdict } from "../block/verdict/cname_verdict.ts";
import { followRewrite } from "../block/verdict/rewrite.ts";
import type { CompiledFilter } from "../block/verdict/compiled_filter.ts";
import type { DnsCache } from "./cache.ts";
import type { CacheEntry } from "./cache_entry.ts";
import type { Counters } from "./counters.ts";
import type { LocalZone } from "../local/local_zone.ts";
import { internalLookup } from "./lookup_request.ts";
import type { Lookups } from "./lookups.ts";
import { nameBytes, nameText } from "../codec/name.ts";
import type { LocalResponses, ResponseDraft } from "../local/local_responses.ts";
import { specialName } from "../local/special_names.ts";
import type { ResponseWriter } from "./response_writer.ts";
import type { Clock } from "../../core/time/clock.ts";
import type { Upstreams } from "../upstream/upstreams.ts";
import { EXTENDED_ERROR, RCODE, TYPE } from "../codec/constants.ts";

/** What rewriting needs. */
export interface RewrittenResponsesOptions {
  readonly localResponses: LocalResponses;
  readonly writer: ResponseWriter;
  readonly pending: PendingQueries;
  readonly lookups: Lookups;
  readonly cache: DnsCache;
  readonly upstreams: Upstreams;
  readonly counters: Counters;
  readonly clock: Clock;
  readonly unixNow: () => number;
  readonly block: () => CompiledFilter;
  /** The current local zone. */
  readonly zone: () => LocalZone;
}

/** Responds with the names and the address that custom rules rewrite a name to. */
export class RewrittenResponses {
  readonly #options: RewrittenResponsesOptions;

  constructor(options: RewrittenResponsesOptions) {
    this.#options = options;
  }

  /**
   * Responds with the rewrite of the query name, or of `alias` (lower case, final dot) in an upstream
   * response. Returns the length of an immediate response, 0 for a later one, and null when the rule
   * rewrites the query name to itself, which is then looked up as usual.
   */
  respond(
    draft: ResponseDraft,
    context: QueryContext,
    verdict: RewriteVerdict,
    alias?: string,
  ): number | null {
    const { localResponses, writer, counters, block, unixNow } = this.#options;
    const path = [nameText(draft.view.name), ...(alias === undefined ? [] : [alias])];
    const { from: { address }, client } = context;
    const { names, end } = followRewrite(
      verdict,
      path,
      { client, address, now: unixNow() },
      block(),
    );
    if (names.length === 0 && end === null) return null;
    if (end?.kind === "block") {
      counters.blocked++;
      const blocked = { ...context, verdict: end };
      return writer.finish(draft, blocked, writer.blocked(draft, blocked));
    }
    counters.rewritten++;
    const decided = { ...context, verdict };
    if (end?.address === undefined) return this.#lookUp(draft, decided, names);
    const length = localResponses.alias(draft, names, { addresses: [end.address] });
    return writer.finish(draft, decided, length);
  }

  /** Responds with the names and, once they are known, the addresses of the last. */
  #lookUp(draft: ResponseDraft, context: QueryContext, names: readonly string[]): number {
    const { localResponses, writer, pending, lookups, cache, upstreams, zone } = this.#options;
    const { view: { type } } = draft;
    const respond = (to: ResponseDraft, addresses: readonly string[], code = 0): number =>
      writer.finish(to, context, localResponses.alias(to, names, { addresses, code }));
    const last = nameBytes(names.at(-1)!);
    if (last === null || (type !== TYPE.A && type !== TYPE.AAAA)) return respond(draft, []);
    const local = zone().addresses(last);
    if (local !== null) return respond(draft, local);
    const labels = names.at(-1)!.split(".").length - 1;
    if (specialName(last, labels, type) !== null) return respond(draft, [], RCODE.NXDOMAIN);
    const group = upstreams.groupOf(context.client);
    const lookup = internalLookup(last, { type, group, cache });
    const finish = (to: ResponseDraft, entry: CacheEntry | undefined): number => {
      const code = entry?.response.code;
      if (code === RCODE.NOERROR || code === RCODE.NXDOMAIN) {
        return respond(to, entry!.response.addresses, code);
      }
      const failed = code === undefined
        ? { code: RCODE.SERVFAIL, extendedError: EXTENDED_ERROR.NO_AUTHORITY }
        : { code };
      return writer.finish(to, context, localResponses.code(to, failed));
    };
    const cached = cache.find(lookup.key, lookup.query);
    if (cached !== null && this.#options.clock.now() < cached.expiresAt) {
      return finish(draft, cached);
    }
    return pending.add(
      draft,
      context,
      (done) => lookups.find(lookup, cached, done),
      (found, to) => finish(to, found?.entry),
    );
  }
}
