import { Problem } from "../../core/errors/problem.ts";
import { Buckets } from "./buckets.ts";
import { keyed } from "../digest.ts";
import { Failures, sourceKey } from "./failures.ts";
import { HashSlots, NoSlot, type Timer } from "./hash_slots.ts";

/** How long a verified credential passes without another hash, and a wrong one without another look. */
const REMEMBERED = { verified: 5 * 60_000, wrong: 15 * 60_000, most: 1024 } as const;

/** One hash takes 0.1–0.2 s: two slots work a burst off within about the patience of those who wait. */
const GLOBAL = { burst: 30, perSecond: 5, max: 1 } as const;
/** Room for the ten failures that lock, and for an honest sign-in or two before them. */
const PER_SOURCE = { burst: 20, perSecond: 0.5, max: 4096 } as const;
const PROVEN = 256;
const SLOTS = { atOnce: 2, waiting: 32, patience: 2000 } as const;

/** A name and a password that someone presents. */
export interface Attempt {
  /** Address of the connection's other end; no forwarding header is believed. */
  readonly source: string;
  readonly user: string;
  readonly password: string;
  /** What is stored for that user; undefined for an unknown one. */
  readonly stored: string | undefined;
}

/** What the gate needs from outside. */
export interface AttemptOptions {
  /** Milliseconds of a clock that nobody sets; the times of locks are in it. */
  readonly now: () => number;
  /** Key of this run for fingerprints of credentials. */
  readonly key: Uint8Array;
  readonly verify: (password: string, stored: string | undefined) => Promise<boolean>;
  /** Told of each new distinct wrong password, with the time of the lock when it brought one. */
  readonly failed?: (key: string, user: string, lockedUntil: number | null) => void;
  /** Told of a lock that another failure brought. */
  readonly locked?: (key: string, until: number) => void;
  readonly timer?: Timer;
}

/**
 * Checks passwords without letting anyone guess fast, burn the processor or lock another out. Only
 * sources are ever locked, never names, and a lock does not touch credentials that were verified.
 */
export class PasswordGate {
  readonly failures: Failures;
  readonly #options: AttemptOptions;
  readonly #known = new Map<string, { readonly ok: boolean; readonly until: number }>();
  readonly #running = new Map<string, Promise<boolean>>();
  /** Where a right password came from: a flood from elsewhere must not use up their turn. */
  readonly #proven = new Set<string>();
  readonly #perSource: Buckets;
  readonly #global: Buckets;
  readonly #slots: HashSlots;

  constructor(options: AttemptOptions) {
    this.#options = options;
    this.failures = new Failures(options.now);
    this.#perSource = new Buckets(PER_SOURCE, options.now);
    this.#global = new Buckets(GLOBAL, options.now);
    this.#slots = new HashSlots(SLOTS, options.timer);
  }

  /** True when the password is right. Throws Problem 429 when it may not or cannot be looked at now. */
  async check(attempt: Attempt): Promise<boolean> {
    const { key } = this.#options;
    // The stored value is part of it, so that a changed password forgets what was known.
    const fingerprint = keyed(key, attempt.user, attempt.password, attempt.stored ?? "");
    const known = this.#recall(fingerprint);
    if (known === true) return true;
    const source = sourceKey(attempt.source);
    const locked = this.failures.lockedFor(source);
    if (locked > 0) {
      throw tooMany("Too many wrong passwords came from this address", locked / 1000);
    }
    const ok = known ?? await this.#hash(fingerprint, source, attempt);
    if (ok) this.#succeed(source, attempt.user);
    else this.#fail(source, attempt.user, fingerprint);
    return ok;
  }

  /** Counts a failure with another proof than a password, such as a passkey. */
  blame(source: string, user: string, fingerprint: string): void {
    const key = sourceKey(source);
    const { until } = this.failures.add(key, { user, fingerprint });
    if (until !== null) this.#options.locked?.(key, until);
  }

  /** Makes a hash on someone's behalf in the same slots. Throws Problem 429. */
  async spend<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await this.#slots.run(work);
    } catch (error) {
      if (error instanceof NoSlot) throw tooMany("Too many sign-ins at once", 2);
      throw error;
    }
  }

  async #hash(fingerprint: string, source: string, attempt: Attempt): Promise<boolean> {
    const running = this.#running.get(fingerprint);
    if (running) return await running;
    if (!this.#perSource.take(source)) {
      throw tooMany("Too many sign-ins from this address", 1 / PER_SOURCE.perSecond);
    }
    if (!this.#proven.has(source) && !this.#global.take("all")) {
      throw tooMany("Too many sign-ins at once", 1);
    }
    const { verify } = this.#options;
    const run = this.spend(() => verify(attempt.password, attempt.stored)).then((ok) => {
      this.#remember(fingerprint, ok);
      return ok;
    }).finally(() => this.#running.delete(fingerprint));
    this.#running.set(fingerprint, run);
    return await run;
  }

  #succeed(source: string, user: string): void {
    this.failures.forgive(source, user);
    this.#proven.add(source);
    if (this.#proven.size > PROVEN) this.#proven.delete(this.#proven.values().next().value!);
  }

  #fail(source: string, user: string, fingerprint: string): void {
    const { distinct, until } = this.failures.add(source, { user, fingerprint });
    if (distinct) this.#options.failed?.(source, user, until);
  }

  #recall(fingerprint: string): boolean | undefined {
    const known = this.#known.get(fingerprint);
    if (!known) return undefined;
    if (known.until > this.#options.now()) return known.ok;
    this.#known.delete(fingerprint);
    return undefined;
  }

  #remember(fingerprint: string, ok: boolean): void {
    const lasting = ok ? REMEMBERED.verified : REMEMBERED.wrong;
    this.#known.set(fingerprint, { ok, until: this.#options.now() + lasting });
    if (this.#known.size <= REMEMBERED.most) return;
    // Guesses must not push out who was verified.
    for (const [old, known] of this.#known) {
      if (!known.ok) return void this.#known.delete(old);
    }
    this.#known.delete(this.#known.keys().next().value!);
  }
}

function tooMany(what: string, seconds: number): Problem {
  const wait = Math.max(1, Math.ceil(seconds));
  return new Problem(429, `${what}; try again in ${wait} s`, {
    headers: { "retry-after": String(wait) },
  });
}
