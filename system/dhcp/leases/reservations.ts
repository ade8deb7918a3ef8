/** Milliseconds for which a reserved address waits for its peer: five minutes. */
export const RESERVED_FOR = 5 * 60_000;

/** Most addresses that may be reserved at the same time; the oldest gives way. */
const MOST = 1024;

/**
 * Addresses that were promised and that no device has yet. Held in memory: after a restart nobody
 * waits for a promise any more. No address is promised to two.
 */
export class Reservations {
  readonly #held = new Map<string, { readonly address: number; readonly until: number }>();

  /**
   * The address promised to this identifier, or null. `now`: milliseconds of a clock that nobody
   * sets.
   */
  of(identifier: string, now: number): number | null {
    this.#expire(now);
    return this.#held.get(identifier)?.address ?? null;
  }

  /** Addresses promised to others than this identifier. */
  taken(identifier: string, now: number): number[] {
    this.#expire(now);
    return [...this.#held].filter(([holder]) => holder !== identifier)
      .map(([, { address }]) => address);
  }

  /** Everyone who was promised an address, the longest waiting first. */
  holders(): string[] {
    return [...this.#held.keys()];
  }

  /** Promises an address, which must not be promised to another. */
  hold(identifier: string, address: number, now: number): void {
    if (this.taken(identifier, now).includes(address)) {
      throw new Error("The address is promised to another");
    }
    this.#held.delete(identifier);
    this.#held.set(identifier, { address, until: now + RESERVED_FOR });
    const oldest = this.#held.keys().next().value;
    if (this.#held.size > MOST && oldest !== undefined) this.#held.delete(oldest);
  }

  /** Ends a promise: it was kept, or nobody waits for it. */
  release(identifier: string): void {
    this.#held.delete(identifier);
  }

  #expire(now: number): void {
    for (const [identifier, { until }] of this.#held) {
      if (until <= now) this.#held.delete(identifier);
    }
  }
}
