/** Distinct failures within `window` that lock a source for `lock` milliseconds. */
export const LOCK_RULE = { failures: 10, window: 15 * 60_000, lock: 5 * 60_000 } as const;

const MAX_SOURCES = 4096;

interface Entry {
  /** When each distinct credential failed, and for whom it was. */
  readonly failed: Map<string, { readonly at: number; readonly user: string }>;
  lockedUntil: number;
}

/** Called with the times of the failures of a source that count, whenever they change. */
export type FailuresChanged = (key: string, times: readonly number[]) => void;

/** Counts distinct failed credentials per source, and locks sources with too many. */
export class Failures {
  readonly #sources = new Map<string, Entry>();
  readonly #now: () => number;
  readonly #changed: FailuresChanged;

  constructor(now: () => number, changed: FailuresChanged = () => {}) {
    this.#now = now;
    this.#changed = changed;
  }

  /** Restores failures of a previous run, whose credentials are not known any more. */
  restoreFailed(key: string, times: readonly number[]): void {
    const { failed } = this.#entry(key);
    times.forEach((at, i) => failed.set(`earlier ${i}`, { at, user: "" }));
  }

  /** Restores a lock of a previous run, never for longer than the rule says. */
  restore(key: string, until: number): void {
    const latest = this.#now() + LOCK_RULE.lock;
    this.#entry(key).lockedUntil = Math.min(until, latest);
  }

  /** Milliseconds that the source stays locked; 0 when it is not. */
  lockedFor(key: string): number {
    const left = (this.#sources.get(key)?.lockedUntil ?? 0) - this.#now();
    return left > 0 && left <= LOCK_RULE.lock ? left : 0;
  }

  /**
   * Counts a failure; the same credential counts once within the window. `until`: end of the lock
   * that it caused, null when it caused none.
   */
  add(
    key: string,
    failure: { readonly user: string; readonly fingerprint: string },
  ): { readonly distinct: boolean; readonly until: number | null } {
    const entry = this.#entry(key);
    const now = this.#now();
    for (const [fingerprint, { at }] of entry.failed) {
      if (now - at > LOCK_RULE.window) entry.failed.delete(fingerprint);
    }
    if (entry.failed.has(failure.fingerprint)) return { distinct: false, until: null };
    entry.failed.set(failure.fingerprint, { at: now, user: failure.user });
    if (entry.failed.size > LOCK_RULE.failures) {
      entry.failed.delete(entry.failed.keys().next().value!);
    }
    this.#notify(key, entry);
    if (entry.failed.size < LOCK_RULE.failures) return { distinct: true, until: null };
    entry.lockedUntil = now + LOCK_RULE.lock;
    return { distinct: true, until: entry.lockedUntil };
  }

  /** Clears the failures for one user only: a success says nothing about guesses at other names. */
  clear(key: string, user: string): void {
    const entry = this.#sources.get(key);
    if (!entry) return;
    const before = entry.failed.size;
    for (const [fingerprint, failed] of entry.failed) {
      if (failed.user === user) entry.failed.delete(fingerprint);
    }
    if (entry.failed.size !== before) this.#notify(key, entry);
  }

  #notify(key: string, { failed }: Entry): void {
    this.#changed(key, [...failed.values()].map(({ at }) => at));
  }

  #entry(key: string): Entry {
    const entry = this.#sources.get(key) ?? { failed: new Map(), lockedUntil: 0 };
    this.#sources.delete(key);
    this.#sources.set(key, entry);
    if (this.#sources.size > MAX_SOURCES) this.#sources.delete(this.#oldestUnlocked());
    return entry;
  }

  #oldestUnlocked(): string {
    for (const key of this.#sources.keys()) if (this.lockedFor(key) === 0) return key;
    return this.#sources.keys().next().value!;
  }
}
