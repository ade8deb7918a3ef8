import { eq, lte } from "drizzle-orm";
import { Problem, sentence } from "../core/errors/problem.ts";
import { accessAttempts } from "../core/store/schema/access.ts";
import type { AccessDatabase } from "./store.ts";

/** Keys that are remembered at once. */
const MAX_KEYS = 4096;

/** How many attempts of one key count, and for how many milliseconds. */
export interface AttemptRule {
  readonly most: number;
  readonly window: number;
}

/** Dependencies of {@link Attempts}. */
export interface AttemptsOptions {
  readonly db: AccessDatabase;
  /** Unix milliseconds of a clock that goes on across restarts. */
  readonly now: () => number;
  /** Milliseconds of a monotonic clock, by which attempts are counted. */
  readonly steady: () => number;
  readonly onWriteError: (error: unknown) => void;
}

/**
 * Recent attempts by key, such as codes of a user or failures of an address. Each is stored before it
 * is answered, so that a restart of the router grants no fresh attempts.
 */
export class Attempts {
  readonly #options: AttemptsOptions;
  /** By key, on the steady clock. */
  readonly #times = new Map<string, readonly number[]>();

  private constructor(options: AttemptsOptions) {
    this.#options = options;
  }

  static async open(options: AttemptsOptions): Promise<Attempts> {
    const { db, now, steady } = options;
    const attempts = new Attempts(options);
    await attempts.#forgetOld();
    for (const { key, times } of await db.select().from(accessAttempts)) {
      // One that seems to lie ahead was made on a clock that has been set back: it was just now.
      attempts.#times.set(key, times.map((at) => steady() - Math.max(0, now() - at)));
    }
    return attempts;
  }

  /** Those of the key that still count, oldest first, on the steady clock. */
  recent(key: string, { window }: AttemptRule): readonly number[] {
    const now = this.#options.steady();
    return (this.#times.get(key) ?? []).filter((at) => now - at < window);
  }

  /** All that is remembered of keys with this prefix: the rest of the key, and times on the steady clock. */
  ofPrefix(
    prefix: string,
  ): readonly { readonly rest: string; readonly times: readonly number[] }[] {
    return [...this.#times].flatMap(([key, times]) =>
      key.startsWith(prefix) ? [{ rest: key.slice(prefix.length), times }] : []
    );
  }

  /** Throws Problem 429 with this sentence, whose `{wait}` is seconds, while the key has used up its attempts. */
  check(key: string, rule: AttemptRule, id: string): void {
    const recent = this.recent(key, rule);
    if (recent.length < rule.most) return;
    const left = recent.at(-rule.most)! + rule.window - this.#options.steady();
    const wait = Math.max(1, Math.ceil(left / 1000));
    throw new Problem(429, sentence(id, { wait }), {
      headers: { "retry-after": String(wait) },
    });
  }

  /** Counts an attempt: at once in memory, and on the disk when this resolves. */
  async add(key: string, rule: AttemptRule): Promise<void> {
    const recent = [...this.recent(key, rule), this.#options.steady()];
    await this.replace(key, rule, recent);
  }

  /** Counts these attempts of the key (on the steady clock) and no others. */
  async replace(key: string, rule: AttemptRule, counted: readonly number[]): Promise<void> {
    if (counted.length === 0) return await this.clear(key);
    const { db, now, steady, onWriteError } = this.#options;
    const at = steady(), wall = now();
    const recent = counted.slice(-rule.most);
    this.#times.delete(key);
    this.#times.set(key, recent);
    if (this.#times.size > MAX_KEYS) this.#times.delete(this.#times.keys().next().value!);
    const times = recent.map((time) => Math.floor(wall - (at - time)));
    const until = Math.ceil(wall + rule.window);
    try {
      await this.#forgetOld();
      await db.insert(accessAttempts).values({ key, times, until })
        .onConflictDoUpdate({ target: accessAttempts.key, set: { times, until } });
    } catch (error) {
      onWriteError(error);
    }
  }

  /** Forgets the attempts of a key, after a success. */
  async clear(key: string): Promise<void> {
    if (!this.#times.delete(key)) return;
    await this.#options.db.delete(accessAttempts).where(eq(accessAttempts.key, key))
      .catch(this.#options.onWriteError);
  }

  async #forgetOld(): Promise<void> {
    await this.#options.db.delete(accessAttempts)
      .where(lte(accessAttempts.until, this.#options.now()));
  }
}
