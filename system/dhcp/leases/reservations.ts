/** Milliseconds for which an address is reserved. */
export const RESERVATION_MS = 5 * 60_000;

/** Addresses that may be reserved at the same time; the oldest is released. */
const MAX_RESERVATIONS = 1024;

/**
 * Addresses that are reserved and that no device has yet, each for one identifier. In memory only:
 * a restart releases them.
 */
export class Reservations {
  readonly #reservations = new Map<string, { readonly address: number; readonly until: number }>();

  /**
   * The address reserved for this identifier, or null. `now`: monotonic milliseconds.
   */
  get(identifier: string, now: number): number | null {
    this.#expire(now);
    return this.#reservations.get(identifier)?.address ?? null;
  }

  /** Addresses reserved for others than this identifier. */
  reservedByOthers(identifier: string, now: number): number[] {
    this.#expire(now);
    return [...this.#reservations].filter(([holder]) => holder !== identifier)
      .map(([, { address }]) => address);
  }

  /** All identifiers with a reservation, oldest first. */
  holders(): string[] {
    return [...this.#reservations.keys()];
  }

  /** Reserves an address; throws when another has it reserved. */
  reserve(identifier: string, address: number, now: number): void {
    if (this.reservedByOthers(identifier, now).includes(address)) {
      throw new Error("The address is reserved for another identifier");
    }
    this.#reservations.delete(identifier);
    this.#reservations.set(identifier, { address, until: now + RESERVATION_MS });
    const oldest = this.#reservations.keys().next().value;
    if (this.#reservations.size > MAX_RESERVATIONS && oldest !== undefined) {
      this.#reservations.delete(oldest);
    }
  }

  /** Releases a reservation. */
  release(identifier: string): void {
    this.#reservations.delete(identifier);
  }

  #expire(now: number): void {
    for (const [identifier, { until }] of this.#reservations) {
      if (until <= now) this.#reservations.delete(identifier);
    }
  }
}
