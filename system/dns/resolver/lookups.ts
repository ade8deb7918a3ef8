import { type AnswerCache, isUsableStale } from "./cache.ts";
import { type CacheEntry, type CacheQuestion } from "./cache_entry.ts";
import type { Counters } from "./counters.ts";
import { KeyTable } from "../../core/data/key_table.ts";
import type { Reply } from "../codec/response_parser.ts";
import type { Answered, UpstreamGroup } from "../upstream/group.ts";
import type { Clock } from "../../core/time/clock.ts";
import type { Question } from "../upstream/upstream_query.ts";

/** Questions that are asked outside at once, and askers that wait for one of them. */
const MOST_ASKED = 1000, MOST_WAITING = 200;
/** Milliseconds after which an old answer is told while the new one is awaited (RFC 8767 5). */
const STALE_AFTER = 1800;
/** Milliseconds for which nobody is asked anew after a failure: with an old answer, and without one (RFC 9520 3.2). */
const REST_STALE = 30_000, REST_FAILED = 2000;
/** Questions that rest after a failure, at most. */
const MOST_RESTING = 10_000;

/** The resolvers that a question goes to. */
export interface LookupGroup {
  readonly id: number;
  readonly upstream: Pick<UpstreamGroup, "ask" | "isDown">;
}

/** What an asker gets: an answer, fresh or old; null when there is none. */
export type Found = { readonly entry: CacheEntry; readonly stale: boolean } | null;

/** Called once. */
export type Waiter = (found: Found) => void;

/** A question on its way out. Its name is its own. */
export interface Lookup {
  readonly key: number;
  readonly question: CacheQuestion & Question;
  readonly group: LookupGroup;
}

/** A question that is being asked, and who waits for its answer. */
interface Running {
  readonly question: CacheQuestion;
  readonly waiters: Waiter[];
}

/** What lookups need. */
export interface LookupsOptions {
  readonly cache: AnswerCache;
  readonly clock: Clock;
  readonly counters: Counters;
  /** The first address of an answer that is none of the Internet; null for none. */
  readonly rebinds: (reply: Reply) => string | null;
}

/**
 * What is being asked outside: each question once, however many wait for it. While it takes long, or
 * when nobody answers, an old answer serves.
 */
export class Lookups {
  readonly #options: LookupsOptions;
  readonly #running = new KeyTable<Running>();
  /** When a question that found no answer may be asked again. */
  readonly #failed = new Map<number, number>();
  #generation = 0;

  constructor(options: LookupsOptions) {
    this.#options = options;
  }

  /** Questions that are being asked. */
  get running(): number {
    return this.#running.size;
  }

  /** What is on its way is told to those who wait, but not remembered: other resolvers hold now. */
  forget(): void {
    this.#generation++;
    this.#failed.clear();
    this.#running.clear();
  }

  /**
   * Has a question answered; false when too much is being asked already. `known`: what is remembered
   * of it, past its time.
   */
  find(lookup: Lookup, known: CacheEntry | null, waiter: Waiter): boolean {
    const { clock, counters } = this.#options;
    const now = clock.now();
    const old = known !== null && isUsableStale(known, now) ? known : null;
    if (this.#rests(lookup.key, now)) {
      waiter(old === null ? null : { entry: old, stale: true });
      return true;
    }
    // What was found in memory holds for this moment alone.
    const stale = old === null ? null : this.#options.cache.keep(old);
    // Where no resolver answers anyway, nobody waits to hear so.
    const atOnce = stale !== null && lookup.group.upstream.isDown;
    if (atOnce) {
      waiter({ entry: stale, stale: true });
      if (this.mayRenew(lookup.key, now)) this.#start(lookup, stale, []);
      return true;
    }
    const running = this.#running.get(lookup.key);
    if (running !== undefined) {
      const { question, waiters } = running;
      if (waiters.length >= MOST_WAITING || !isSame(question, lookup.question)) return false;
      counters.joined++;
      waiters.push(this.#patient(waiter, stale));
      return true;
    }
    if (this.#running.size >= MOST_ASKED) {
      if (stale === null) return false;
      waiter({ entry: stale, stale: true });
      return true;
    }
    this.#start(lookup, stale, [this.#patient(waiter, stale)]);
    return true;
  }

  /** True when a question may be asked anew though its answer still holds. */
  mayRenew(key: number, now: number): boolean {
    return this.#running.size < MOST_ASKED / 2 && !this.#running.has(key) && !this.#rests(key, now);
  }

  /** Asks anew for what is remembered and near its end; nobody waits for it. */
  renew(lookup: Lookup, found: CacheEntry): void {
    this.#options.counters.renewed++;
    this.#start(lookup, this.#options.cache.keep(found), []);
  }

  /** A waiter that is told the old answer when the new one takes long. */
  #patient(waiter: Waiter, stale: CacheEntry | null): Waiter {
    if (stale === null) return waiter;
    let told = false;
    const tell = (found: Found): void => {
      if (told) return;
      told = true;
      cancel();
      waiter(found);
    };
    const cancel = this.#options.clock.after(
      STALE_AFTER,
      () => tell({ entry: stale, stale: true }),
    );
    return tell;
  }

  #start(lookup: Lookup, stale: CacheEntry | null, waiters: Waiter[]): void {
    const { key, question, group } = lookup;
    const generation = this.#generation;
    this.#running.set(key, { question, waiters });
    this.#options.counters.asked++;
    group.upstream.ask(question, (answered) => {
      const found = answered === null ? null : this.#take(lookup, stale, answered, generation);
      this.#tell(lookup, { stale, waiters, generation, found });
    });
  }

  #tell({ key }: Lookup, { stale, waiters, generation, found }: {
    readonly stale: CacheEntry | null;
    readonly waiters: readonly Waiter[];
    readonly generation: number;
    readonly found: CacheEntry | null;
  }): void {
    const now = this.#options.clock.now();
    if (this.#running.get(key)?.waiters === waiters) this.#running.delete(key);
    if (found !== null) return tellAll(waiters, { entry: found, stale: false });
    this.#options.counters.failed++;
    if (generation === this.#generation) {
      this.#rest(key, now, stale === null ? REST_FAILED : REST_STALE);
    }
    tellAll(waiters, stale === null ? null : { entry: stale, stale: true });
  }

  /** Remembers a good answer; null for one that says that it could not. */
  #take(
    { key, question }: Lookup,
    stale: CacheEntry | null,
    { reply, by, fleeting }: Answered,
    generation: number,
  ): CacheEntry | null {
    const { cache, clock, rebinds } = this.#options;
    const usable = reply.code === 0 || reply.code === 3;
    // A resolver that could not is worse than an old answer.
    if (!usable && (stale !== null || reply.code !== 2)) return null;
    const answer = { reply, by, rebinds: rebinds(reply), now: clock.now() };
    if (usable && reply.ttl > 0 && !fleeting && generation === this.#generation) {
      this.#failed.delete(key);
      return cache.put(key, question, answer);
    }
    if (!usable && generation === this.#generation) this.#rest(key, clock.now(), REST_FAILED);
    return cache.make(question, answer);
  }

  #rests(key: number, now: number): boolean {
    return this.#failed.size > 0 && now < (this.#failed.get(key) ?? -Infinity);
  }

  #rest(key: number, now: number, milliseconds: number): void {
    if (this.#failed.size >= MOST_RESTING) {
      for (const [other, until] of this.#failed) if (until <= now) this.#failed.delete(other);
      if (this.#failed.size >= MOST_RESTING) this.#failed.clear();
    }
    this.#failed.set(key, now + milliseconds);
  }
}

/** False for questions whose keys meet, of which none may get the answer of the other. */
function isSame(a: CacheQuestion, b: CacheQuestion): boolean {
  if (a.nameLength !== b.nameLength || a.type !== b.type || a.variant !== b.variant) return false;
  for (let i = 0; i < a.nameLength; i++) if (a.name[i] !== b.name[i]) return false;
  return true;
}

function tellAll(waiters: readonly Waiter[], found: Found): void {
  for (const tell of waiters) {
    try {
      tell(found);
    } catch (error) {
      // What goes wrong with one asker must not keep back the answers of the others.
      reportError(error);
    }
  }
}
