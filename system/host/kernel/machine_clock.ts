import type { Clock } from "../../core/time/clock.ts";

/** Timeouts are rounded up to this resolution, so that those of one slot share a runtime timer. */
const RESOLUTION_MS = 16;

/** Timeouts that are due at the same time. */
interface Slot {
  readonly due: number;
  readonly timeouts: Timeout[];
  /** How many of them are not cancelled. */
  pending: number;
}

interface Timeout {
  run: (() => void) | null;
}

/**
 * A clock with cheap timeouts. Nearly all of them are cancelled: an upstream query sets three, and a
 * runtime timer for each would cost more than the query.
 */
export class MachineClock implements Clock {
  readonly #slots = new Map<number, Slot>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #wakesAt = Infinity;

  now(): number {
    return performance.now();
  }

  after(milliseconds: number, run: () => void): () => void {
    const due = Math.ceil((this.now() + milliseconds) / RESOLUTION_MS);
    let slot = this.#slots.get(due);
    if (slot === undefined) this.#slots.set(due, slot = { due, timeouts: [], pending: 0 });
    const timeout: Timeout = { run };
    slot.timeouts.push(timeout);
    slot.pending++;
    if (due < this.#wakesAt) this.#arm(due);
    return () => this.#cancel(slot, timeout);
  }

  #cancel(slot: Slot, timeout: Timeout): void {
    if (timeout.run === null) return;
    timeout.run = null;
    if (--slot.pending > 0) return;
    this.#slots.delete(slot.due);
    if (this.#slots.size === 0) this.#disarm();
  }

  #arm(due: number): void {
    this.#disarm();
    this.#wakesAt = due;
    this.#timer = setTimeout(() => this.#fire(), Math.max(0, due * RESOLUTION_MS - this.now()));
  }

  #disarm(): void {
    clearTimeout(this.#timer);
    this.#wakesAt = Infinity;
  }

  #fire(): void {
    this.#wakesAt = Infinity;
    const now = this.now() / RESOLUTION_MS;
    const due = [...this.#slots.values()].filter((slot) => slot.due <= now);
    due.sort((a, b) => a.due - b.due);
    for (const slot of due) {
      this.#slots.delete(slot.due);
      for (const timeout of slot.timeouts) {
        const { run } = timeout;
        timeout.run = null;
        try {
          run?.();
        } catch (error) {
          // The others are due nevertheless.
          reportError(error);
        }
      }
    }
    const next = Math.min(...this.#slots.keys());
    if (next < this.#wakesAt) this.#arm(next);
  }
}

/** The machine's own time. */
export const machineClock: Clock = new MachineClock();
