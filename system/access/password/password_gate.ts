import { Problem, sentence } from "../../core/errors/problem.ts";
import { keyed } from "../digest.ts";
import { sourceKey } from "../../core/net/net.ts";
import { Failures, type FailuresChanged } from "./failures.ts";
import { HashSlots, NoSlotError, type Timer } from "./hash_slots.ts";

/** Milliseconds for which verdicts on credentials are cached, and how many at most. */
const VERDICT_CACHE = { verified: 5 * 60_000, wrong: 15 * 60_000, most: 1024 } as const;

/** One hash takes 0.1–0.2 s: two slots process a burst within about the queue timeout. */
const GLOBAL_RATE = { burst: 30, perSecond: 5, max: 1 } as const;
/** Room for the ten failures that lock, and for a sign-in or two before them. */
const SOURCE_RATE = { burst: 20, perSecond: 0.5, max: 4096 } as const;
const MAX_TRUSTED_SOURCES = 256;
const SLOTS = { atOnce: 2, waiting: 32, patience: 2000 } as const;

/** User name and password of a sign-in attempt. */
export interface SignInAttempt {
  /** Source address of the connection; forwarding headers are ignored. */
  readonly source: string;
  readonly user: string;
  readonly password: string;
  /** The stored password of that user; undefined for an unknown user. */
  readonly stored: string | undefined;
}

/** Dependencies of {@link PasswordGate}. */
export interface PasswordGateOptions {
  /** Milliseconds of a monotonic clock; lock times refer to it. */
  readonly now: () => number;
  /** Key of this run for fingerprints of credentials. */
  readonly key: Uint8Array;
  readonly verify: (password: string, stored: string | undefined) => Promise<boolean>;
  /** Called for each distinct wrong password, with the time of the lock that it caused. */
  readonly failed?: (key: string, user: string, lockedUntil: number | null) => void;
  /** Called for a lock that another failure caused. */
  readonly locked?: (key: string, until: number) => void;
  /** Called when the failures that count change: they are to outlast a restart. */
  readonly counted?: FailuresChanged;
  readonly timer?: Timer;
}

/**
 * Checks passwords while limiting guesses and CPU time. Only source addresses are locked, never user
 * names, and a lock does not affect credentials that were verified before.
 */
export class PasswordGate {
  readonly failures: Failures;
  readonly #options: PasswordGateOptions;
  readonly #verdicts = new Map<string, { readonly ok: boolean; readonly until: number }>();
  readonly #running = new Map<string, Promise<boolean>>();
  /** Sources that gave a correct password: a flood from others must not use up the global rate. */
  readonly #trustedSources = new Set<string>();
  readonly #perSource: TokenBuckets;
  readonly #global: TokenBuckets;
  readonly #slots: HashSlots;

  constructor(options: PasswordGateOptions) {
    this.#options = options;
    this.failures = new Failures(options.now, options.counted);
    this.#perSource = new TokenBuckets(SOURCE_RATE, options.now);
    this.#global = new TokenBuckets(GLOBAL_RATE, options.now);
    this.#slots = new HashSlots(SLOTS, options.timer);
  }

  /** True when the password is correct. Throws Problem 429 when it cannot be checked now. */
  async check(attempt: SignInAttempt): Promise<boolean> {
    const { key } = this.#options;
    // Includes the stored value, so that changing the password invalidates cached verdicts.
    const fingerprint = keyed(key, attempt.user, attempt.password, attempt.stored ?? "");
    const known = this.#cachedVerdict(fingerprint);
    if (known === true) return true;
    const source = sourceKey(attempt.source);
    const locked = this.failures.lockedFor(source);
    if (locked > 0) {
      throw tooMany(
        "Too many wrong passwords came from this address; try again in {wait} s",
        locked / 1000,
      );
    }
    const ok = known ?? await this.#hash(fingerprint, source, attempt);
    if (ok) this.#succeed(source, attempt.user);
    else this.#fail(source, attempt.user, fingerprint);
    return ok;
  }

  /** Counts a failure of another credential than a password, such as a passkey. */
  addFailure(source: string, user: string, fingerprint: string): void {
    const key = sourceKey(source);
    const { until } = this.failures.add(key, { user, fingerprint });
    if (until !== null) this.#options.locked?.(key, until);
  }

  /** Computes a hash in one of the slots. Throws Problem 429. */
  async runHash<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await this.#slots.run(work);
    } catch (error) {
      if (error instanceof NoSlotError) {
        throw tooMany("Too many sign-ins at once; try again in {wait} s", 2);
      }
      throw error;
    }
  }

  async #hash(fingerprint: string, source: string, attempt: SignInAttempt): Promise<boolean> {
    const running = this.#running.get(fingerprint);
    if (running) return await running;
    if (!this.#perSource.take(source)) {
      throw tooMany(
        "Too many sign-ins from this address; try again in {wait} s",
        1 / SOURCE_RATE.perSecond,
      );
    }
    if (!this.#trustedSources.has(source) && !this.#global.take("all")) {
      throw tooMany("Too many sign-ins at once; try again in {wait} s", 1);
    }
    const { verify } = this.#options;
    const run = this.runHash(() => verify(attempt.password, attempt.stored)).then((ok) => {
      this.#cacheVerdict(fingerprint, ok);
      return ok;
    }).finally(() => this.#running.delete(fingerprint));
    this.#running.set(fingerprint, run);
    return await run;
  }

  #succeed(source: string, user: string): void {
    this.failures.clear(source, user);
    this.#trustedSources.add(source);
    if (this.#trustedSources.size > MAX_TRUSTED_SOURCES) {
      this.#trustedSources.delete(this.#trustedSources.values().next().value!);
    }
  }

  #fail(source: string, user: string, fingerprint: string): void {
    const { distinct, until } = this.failures.add(source, { user, fingerprint });
    if (distinct) this.#options.failed?.(source, user, until);
  }

  #cachedVerdict(fingerprint: string): boolean | undefined {
    const known = this.#verdicts.get(fingerprint);
    if (!known) return undefined;
    if (known.until > this.#options.now()) return known.ok;
    this.#verdicts.delete(fingerprint);
    return undefined;
  }

  #cacheVerdict(fingerprint: string, ok: boolean): void {
    const lasting = ok ? VERDICT_CACHE.verified : VERDICT_CACHE.wrong;
    this.#verdicts.set(fingerprint, { ok, until: this.#options.now() + lasting });
    if (this.#verdicts.size <= VERDICT_CACHE.most) return;
    // Guesses must not evict verified credentials.
    for (const [old, known] of this.#verdicts) {
      if (!known.ok) return void this.#verdicts.delete(old);
    }
    this.#verdicts.delete(this.#verdicts.keys().next().value!);
  }
}

function tooMany(id: string, seconds: number): Problem {
  const wait = Math.max(1, Math.ceil(seconds));
  return new Problem(429, sentence(id, { wait }), {
    headers: { "retry-after": String(wait) },
  });
}

/** Token buckets by key, bounded in number: the least recently used key is evicted first. */
class TokenBuckets {
  readonly #keys = new Map<string, { readonly tokens: number; readonly at: number }>();
  readonly #limits: { readonly burst: number; readonly perSecond: number; readonly max: number };
  readonly #now: () => number;

  /** `now` is in milliseconds and may jump; a step back adds nothing. */
  constructor(
    limits: { readonly burst: number; readonly perSecond: number; readonly max: number },
    now: () => number,
  ) {
    this.#limits = limits;
    this.#now = now;
  }

  /** Takes one token of the key; false when it has none. */
  take(key: string): boolean {
    const { burst, perSecond, max } = this.#limits;
    const at = this.#now();
    const bucket = this.#keys.get(key) ?? { tokens: burst, at };
    const elapsed = Math.max(0, at - bucket.at) / 1000;
    const tokens = Math.min(burst, bucket.tokens + elapsed * perSecond);
    const taken = tokens >= 1;
    this.#keys.delete(key);
    this.#keys.set(key, { tokens: taken ? tokens - 1 : tokens, at });
    if (this.#keys.size > max) this.#keys.delete(this.#keys.keys().next().value!);
    return taken;
  }
}
