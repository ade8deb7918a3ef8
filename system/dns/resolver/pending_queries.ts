import type { Verdict } from "../block/verdict/verdict.ts";
import type { DnsClient } from "./client.ts";
import type { Counters } from "./counters.ts";
import type { Found } from "./lookups.ts";
import { parseQuery, QueryView } from "../codec/query.ts";
import type { OwnAnswer } from "../local/local_responses.ts";
import type { Sender } from "../../core/net/transport.ts";
import { LONGEST_MESSAGE } from "../codec/constants.ts";

/** Questions of one client that may wait for an answer at once. */
const MOST_OF_CLIENT = 100;

/** The way back to who asked. */
export interface Way {
  /** True over TCP: nothing is cut there. */
  readonly stream: boolean;
  /** Most bytes of an answer to this query. */
  limit(view: QueryView): number;
  /** Says what could not be said at once; null: nothing will be said. */
  later(bytes: Uint8Array | null, to: Sender): void;
}

/** Who asks, and what was decided of the question. */
export interface Asker {
  readonly from: Sender;
  readonly way: Way;
  readonly client: DnsClient | undefined;
  readonly verdict: Verdict;
  /** When it was asked: unix milliseconds, and those of the clock. */
  readonly at: number;
  readonly started: number;
}

/** Begins to look for an answer; false when too much is being looked for. */
export type Begin = (wait: (found: Found) => void) => boolean;

/** Writes what is to be said of what was found; answers its length, 0 when it waits for more itself. */
export type Finish = (found: Found, to: OwnAnswer) => number;

/** Askers that wait for an answer from outside, so many of each client and no more. */
export class WaitingAskers {
  readonly #counters: Counters;
  readonly #of = new Map<string, number>();
  readonly #view = new QueryView();
  readonly #out = new Uint8Array(LONGEST_MESSAGE);

  constructor(counters: Counters) {
    this.#counters = counters;
  }

  /** Answers the length of what is said at once, 0 for what is said later or never. */
  wait(to: OwnAnswer, asker: Asker, begin: Begin, finish: Finish): number {
    const { address } = asker.from;
    const waiting = this.#of.get(address) ?? 0;
    if (waiting >= MOST_OF_CLIENT) return this.#shed(asker);
    const query = to.query.slice();
    let begun = false, written = -1;
    const taken = begin((found) => {
      if (begun) this.#wake(query, asker, found, finish);
      else written = finish(found, to);
    });
    if (written >= 0) return written;
    if (!taken) return this.#shed(asker);
    begun = true;
    this.#of.set(address, waiting + 1);
    return 0;
  }

  #wake(query: Uint8Array, { from, way }: Asker, found: Found, finish: Finish): void {
    const left = (this.#of.get(from.address) ?? 1) - 1;
    if (left > 0) this.#of.set(from.address, left);
    else this.#of.delete(from.address);
    const view = this.#view, out = this.#out;
    parseQuery(query, view);
    const length = finish(found, { query, view, out, limit: way.limit(view) });
    if (length > 0) way.later(out.subarray(0, length), from);
  }

  #shed({ way, from }: Asker): number {
    this.#counters.shed++;
    if (way.stream) way.later(null, from);
    return 0;
  }
}
