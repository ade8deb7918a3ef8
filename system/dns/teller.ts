import { retell } from "./answer.ts";
import type { Asker } from "./asker.ts";
import { type Answered, type DecidedAlias, decidedAlias } from "./block/aliases.ts";
import { type CompiledBlock, rebinds } from "./block/verdict.ts";
import type { CacheEntry } from "./cache.ts";
import type { Counters } from "./counters.ts";
import type { QueryLog } from "./log/sink.ts";
import type { Found } from "./lookups.ts";
import type { OwnAnswer, OwnAnswers } from "./own_answers.ts";
import { AT_ONCE, LentRecord, type Said } from "./query_record.ts";
import type { Clock } from "./upstream/outside.ts";
import { EXTENDED, FLAG, RCODE, word } from "./wire.ts";

/** Seconds that an answer past its time is told to hold (RFC 8767 5). */
const STALE_TTL = 30;

/** What is said of most answers. */
const NOTHING: Said = {};

/** What telling needs. */
export interface TellerOptions {
  readonly own: OwnAnswers;
  readonly clock: Clock;
  readonly unixNow: () => number;
  readonly counters: Counters;
  readonly block: () => CompiledBlock;
  readonly log: Pick<QueryLog, "record"> | null;
  /** Answers with where an override of a name leads that an answer leads over; 0 for later. */
  readonly lead: (to: OwnAnswer, asker: Asker, verdict: Answered, alias: string) => number;
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
      if (verdict.kind === "answer") return this.#options.lead(to, asker, verdict, name);
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
    return this.said(to, asker, retell(entry.reply, to, to.out, how), heard);
  }

  /** Counts and records what is said; answers its length. */
  said(to: OwnAnswer, asker: Asker, length: number, said: Said = NOTHING): number {
    const { log, clock, counters, unixNow } = this.#options;
    if ((word(to.out, 2) & FLAG.TC) !== 0) counters.truncated++;
    if (log === null) return length;
    const record = this.#record;
    record.take(to.view, asker, said);
    const { atOnce = false } = said;
    record.at = atOnce ? asker.at : unixNow();
    record.ms = atOnce ? 0 : clock.now() - asker.started;
    record.message = to.out;
    record.length = length;
    log.record(record);
    return length;
  }

  /** What was decided of a name that the answer leads over; null for nothing, and when the asked name is permitted. */
  #decidedOnTheWay({ reply }: CacheEntry, { from, client, verdict }: Asker): DecidedAlias | null {
    if (reply.aliases.length === 0 || verdict.kind !== "pass") return null;
    if (verdict.permitted !== undefined) return null;
    const now = this.#options.unixNow();
    return decidedAlias(reply, { client, address: from.address, now }, this.#options.block());
  }

  /** Whether an outside name must not lead home. A resolver of one's own that stands at home may say so. */
  #isChecked({ verdict, client }: Asker): boolean {
    if (this.#options.block().config.RebindingCheckDisable) return false;
    if (verdict.kind === "pass" && verdict.permitted !== undefined) return false;
    return client === undefined || client.custom === "" || !rebinds(client.custom);
  }
}
