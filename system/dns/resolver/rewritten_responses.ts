import type { Asker, WaitingAskers } from "./pending_queries.ts";
import type { RewriteVerdict } from "../block/verdict/cname_verdict.ts";
import { followRewrite } from "../block/verdict/rewrite.ts";
import type { CompiledFilter } from "../block/verdict/compile.ts";
import type { AnswerCache } from "./cache.ts";
import type { CacheEntry } from "./cache_entry.ts";
import type { Counters } from "./counters.ts";
import type { LocalZone } from "../local/local_zone.ts";
import { plainLookup } from "./lookup_request.ts";
import type { Lookups } from "./lookups.ts";
import { nameBytes, nameText } from "../codec/name.ts";
import type { OwnAnswer, OwnAnswers } from "../local/local_responses.ts";
import { specialName } from "../local/special_names.ts";
import type { Teller } from "./response_writer.ts";
import type { Clock } from "../../core/time/clock.ts";
import type { Upstreams } from "../upstream/upstreams.ts";
import { EXTENDED, RCODE, TYPE } from "../codec/constants.ts";

/** What telling where overrides lead needs. */
export interface LedAnswersOptions {
  readonly own: OwnAnswers;
  readonly teller: Teller;
  readonly waiting: WaitingAskers;
  readonly lookups: Lookups;
  readonly cache: AnswerCache;
  readonly upstreams: Upstreams;
  readonly counters: Counters;
  readonly clock: Clock;
  readonly unixNow: () => number;
  readonly block: () => CompiledFilter;
  /** Names of home as they are now. */
  readonly zone: () => LocalZone;
}

/** Answers with the names and the address that overrides lead to. */
export class LedAnswers {
  readonly #options: LedAnswersOptions;

  constructor(options: LedAnswersOptions) {
    this.#options = options;
  }

  /**
   * Answers what an override of the asked name says, or of `alias` (lower case, final dot), which the
   * answer from outside leads over. Answers the length of what is said at once, 0 for what is said
   * later, and null when the override leads to the asked name itself, which is then asked as usual.
   */
  tell(to: OwnAnswer, asker: Asker, verdict: RewriteVerdict, alias?: string): number | null {
    const { own, teller, counters, block, unixNow } = this.#options;
    const way = [nameText(to.view.name), ...(alias === undefined ? [] : [alias])];
    const { from: { address }, client } = asker;
    const { names, end } = followRewrite(
      verdict,
      way,
      { client, address, now: unixNow() },
      block(),
    );
    if (names.length === 0 && end === null) return null;
    if (end?.kind === "block") {
      counters.blocked++;
      return teller.said(to, { ...asker, verdict: end }, own.blocked(to));
    }
    counters.overridden++;
    const decided = { ...asker, verdict };
    return end?.address === undefined
      ? this.#lookUp(to, decided, names)
      : teller.said(to, decided, own.alias(to, names, { addresses: [end.address] }));
  }

  /** Tells names and, once they are known, the addresses of the last. */
  #lookUp(to: OwnAnswer, asker: Asker, names: readonly string[]): number {
    const { own, teller, waiting, lookups, cache, upstreams, zone } = this.#options;
    const { view: { type } } = to;
    const say = (then: OwnAnswer, addresses: readonly string[], code = 0): number =>
      teller.said(then, asker, own.alias(then, names, { addresses, code }));
    const last = nameBytes(names.at(-1)!);
    if (last === null || (type !== TYPE.A && type !== TYPE.AAAA)) return say(to, []);
    const near = zone().addresses(last);
    if (near !== null) return say(to, near);
    const labels = names.at(-1)!.split(".").length - 1;
    if (specialName(last, labels, type) !== null) return say(to, [], RCODE.NXDOMAIN);
    const group = upstreams.of(asker.client);
    const lookup = plainLookup(last, { type, group, cache });
    const heard = (then: OwnAnswer, entry: CacheEntry | undefined): number => {
      const code = entry?.reply.code;
      if (code === RCODE.NOERROR || code === RCODE.NXDOMAIN) {
        return say(then, entry!.reply.addresses, code);
      }
      const failed = { code: RCODE.SERVFAIL, extended: EXTENDED.NO_AUTHORITY };
      return teller.said(then, asker, own.code(then, failed));
    };
    const known = cache.find(lookup.key, lookup.question);
    if (known !== null && this.#options.clock.now() < known.expires) return heard(to, known);
    return waiting.wait(
      to,
      asker,
      (wait) => lookups.find(lookup, known, wait),
      (found, then) => heard(then, found?.entry),
    );
  }
}
