import type { Clock } from "../../core/time/clock.ts";

/** Milliseconds to which waits are rounded up: those of one such time share one timer of the runtime. */
const GRAIN = 16;

/** What runs at one time. */
interface Slot {
  readonly due: number;
  readonly waits: Wait[];
  /** Those of them that were not taken back. */
  living: number;
}

interface Wait {
  run: (() => void) | null;
}

/**
 * Time, and waits of which nearly all are taken back: a question that is asked outside has three of
 * them. They are gathered, since a timer of the runtime for each would cost more than the question.
 */
export class MachineClock implements Clock {
  readonly #slots = new Map<number, Slot>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #wakes = Infinity;

  now(): number {
    return performance.now();
  }

  after(milliseconds: number, run: () => void): () => void {
    const due = Math.ceil((this.now() + milliseconds) / GRAIN);
    let slot = this.#slots.get(due);
    if (slot === undefined) this.#slots.set(due, slot = { due, waits: [], living: 0 });
    const wait: Wait = { run };
    slot.waits.push(wait);
    slot.living++;
    if (due < this.#wakes) this.#arm(due);
    return () => this.#takeBack(slot, wait);
  }

  #takeBack(slot: Slot, wait: Wait): void {
    if (wait.run === null) return;
    wait.run = null;
    if (--slot.living > 0) return;
    this.#slots.delete(slot.due);
    if (this.#slots.size === 0) this.#disarm();
  }

  #arm(due: number): void {
    this.#disarm();
    this.#wakes = due;
    this.#timer = setTimeout(() => this.#wake(), Math.max(0, due * GRAIN - this.now()));
  }

  #disarm(): void {
    clearTimeout(this.#timer);
    this.#wakes = Infinity;
  }

  #wake(): void {
    this.#wakes = Infinity;
    const now = this.now() / GRAIN;
    const due = [...this.#slots.values()].filter((slot) => slot.due <= now);
    due.sort((a, b) => a.due - b.due);
    for (const slot of due) {
      this.#slots.delete(slot.due);
      for (const wait of slot.waits) {
        const { run } = wait;
        wait.run = null;
        try {
          run?.();
        } catch (error) {
          // The others are due all the same.
          reportError(error);
        }
      }
    }
    const next = Math.min(...this.#slots.keys());
    if (next < this.#wakes) this.#arm(next);
  }
}

/** The machine's own time. */
export const machineClock: Clock = new MachineClock();
