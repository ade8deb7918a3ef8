import { OPT_SIZE, retell } from "../codec/response_encoder.ts";
import type { Asker } from "./pending_queries.ts";
import {
  type CnameVerdict,
  cnameVerdict,
  type RewriteVerdict,
} from "../block/verdict/cname_verdict.ts";
import { type CompiledBlock, rebinds } from "../block/verdict/verdict.ts";
import { type CacheEntry } from "./cache_entry.ts";
import { renewedFrom } from "./cache.ts";
import type { Counters } from "./counters.ts";
import type { QuerySink } from "../log/writer/sink.ts";
import type { Found } from "./lookups.ts";
import type { OwnAnswer, OwnAnswers } from "../local/local_responses.ts";
import { AT_ONCE, LentRecord, LOCAL, type Said } from "./query_record.ts";
import type { ReadyAnswer, ReadyAnswers, ReadyFacts } from "./response_cache.ts";
import type { Sender } from "../../core/net/transport.ts";
import type { Clock } from "../../core/time/clock.ts";
import { EXTENDED, FLAG, RCODE, word } from "../codec/constants.ts";

/** Seconds that an answer past its time is told to hold (RFC 8767 5). */
const STALE_TTL = 30;

/** What is said of most answers. */
const NOTHING: Said = {};
const NONE: readonly number[] = [];

/** What telling needs. */
export interface TellerOptions {
  readonly own: OwnAnswers;
  /** Where answers are left that may be told again. */
  readonly ready: ReadyAnswers;
  readonly clock: Clock;
  readonly unixNow: () => number;
  readonly counters: Counters;
  readonly block: () => CompiledBlock;
  readonly log: Pick<QuerySink, "record"> | null;
  /** Answers with where an override of a name leads that an answer leads over; 0 for later. */
  readonly lead: (to: OwnAnswer, asker: Asker, verdict: RewriteVerdict, alias: string) => number;
}

/** Tells answers from outside, as far as they may be told, and keeps count of all that is said. */
export class Teller {
  readonly #options: TellerOptions;
  readonly #record = new LentRecord();

  constructor(options: TellerOptions) {
    this.#options = options;
  }

  /** Tells an answer from outside, or that there is none. `fresh`: it was asked for just now. */
  tell(to: OwnAnswer, asker: Asker, found: Found, fresh: boolean): number {
    const { own, counters, clock } = this.#options;
    if (found === null) {
      const kind = { code: RCODE.SERVFAIL, extended: EXTENDED.NO_AUTHORITY };
      return this.said(to, asker, own.code(to, kind));
    }
    const { entry, stale } = found;
    const heard = fresh ? stale ? NOTHING : { upstream: entry.by } : AT_ONCE;
    const decided = this.#decidedOnTheWay(entry, asker);
    if (decided !== null) {
      const { verdict, name } = decided;
      if (verdict.kind === "rewrite") return this.#options.lead(to, asker, verdict, name);
      counters.blocked++;
      return this.said(to, { ...asker, verdict }, own.blocked(to), heard);
    }
    if (entry.rebinds !== null && this.#isChecked(asker)) {
      counters.rebound++;
      const said = { kind: "rebind", rebound: entry.rebinds, ...heard } as const;
      return this.said(to, asker, own.blocked(to), said);
    }
    if (stale) counters.stale++;
    // What is remembered is told in the moment in which it is asked.
    const now = fresh ? clock.now() : asker.started;
    const age = Math.max(0, Math.floor((now - entry.heard) / 1000));
    const extended = entry.reply.code === RCODE.NXDOMAIN ? EXTENDED.STALE_NXDOMAIN : EXTENDED.STALE;
    const how = { age, limit: to.limit, ...(stale ? { ttl: STALE_TTL, extended } : {}) };
    const length = retell(entry.reply, to, to.out, how);
    if (!fresh && !stale && this.#mayStand(to, asker)) this.#keep(to, asker, length, entry);
    return this.said(to, asker, length, heard);
  }

  /** What {@link said} does for an answer from home or a list, which is the same at any time. */
  saidAlways(
    to: OwnAnswer,
    asker: Asker,
    length: number,
    counts: "local" | "kept" | "blocked",
  ): number {
    const said = counts === "blocked" ? AT_ONCE : LOCAL;
    if (this.#mayStand(to, asker)) {
      const { client, verdict, started: heard } = asker;
      const facts = { client, verdict, said, counts, heard, until: Infinity, ttls: NONE };
      this.#leave(to, asker, length, facts);
    }
    return this.said(to, asker, length, said);
  }

  /** Records an answer that is told again; answers its length. */
  again(
    ready: ReadyAnswer,
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
    record.take(ready.name, from, ready, ready.said);
    record.at = at;
    record.ms = 0;
    record.message = out;
    record.length = length;
    log.record(record);
    return length;
  }

  /** Whether an answer is to stand ready: one over UDP that is whole, to what is asked again. */
  #mayStand({ out }: OwnAnswer, { way }: Asker): boolean {
    return !way.stream && (word(out, 2) & FLAG.TC) === 0 && this.#options.ready.isAskedAgain;
  }

  #keep(to: OwnAnswer, asker: Asker, length: number, entry: CacheEntry): void {
    const { reply: { ttls, ttlCount }, heard } = entry;
    const { client, verdict } = asker;
    const until = renewedFrom(entry);
    // What was left out of the answer, for want of room, has no TTL in it.
    const end = to.view.edns ? length - OPT_SIZE : length;
    const told = ttls.slice(0, ttlCount).filter((at) => at < end);
    const facts = { client, verdict, said: AT_ONCE, counts: "remembered", heard, until } as const;
    this.#leave(to, asker, length, { ...facts, ttls: told });
  }

  #leave({ query, view, out }: OwnAnswer, asker: Asker, length: number, facts: ReadyFacts): void {
    const { from, started: now } = asker;
    const { name, nameLength } = view;
    this.#options.ready.keep({ query, name, nameLength, out, length, from, now }, facts);
  }

  /** Counts and records what is said; answers its length. */
  said(to: OwnAnswer, asker: Asker, length: number, said: Said = NOTHING): number {
    const { log, clock, counters, unixNow } = this.#options;
    if ((word(to.out, 2) & FLAG.TC) !== 0) counters.truncated++;
    if (log === null) return length;
    const record = this.#record;
    record.take(to.view.name, asker.from, asker, said);
    const { atOnce = false } = said;
    record.at = atOnce ? asker.at : unixNow();
    record.ms = atOnce ? 0 : clock.now() - asker.started;
    record.message = to.out;
    record.length = length;
    log.record(record);
    return length;
  }

  /** What was decided of a name that the answer leads over; null for nothing, and when the asked name is permitted. */
  #decidedOnTheWay({ reply }: CacheEntry, { from, client, verdict }: Asker): CnameVerdict | null {
    if (reply.aliases.length === 0 || verdict.kind !== "pass") return null;
    if (verdict.permitted !== undefined) return null;
    const now = this.#options.unixNow();
    return cnameVerdict(reply, { client, address: from.address, now }, this.#options.block());
  }

  /** Whether an outside name must not lead home. A resolver of one's own that stands at home may say so. */
  #isChecked({ verdict, client }: Asker): boolean {
    if (this.#options.block().config.RebindingCheckDisable) return false;
    if (verdict.kind === "pass" && verdict.permitted !== undefined) return false;
    return client === undefined || client.custom === "" || !rebinds(client.custom);
  }
}
