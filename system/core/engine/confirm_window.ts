import { timingSafeEqual } from "@std/crypto/timing-safe-equal";
import { hashText } from "../config/json.ts";
import type { WindowRow } from "./journal/journal.ts";

/** An open window as people see it. `until` is unix milliseconds. */
export interface OpenWindow {
  readonly id: string;
  readonly until: number;
  readonly secondsLeft: number;
  readonly summary: string;
}

/** Shortest and longest window, in seconds. */
export const WINDOW_SECONDS = { least: 10, most: 600 } as const;

/** What is left is written down this often, in seconds, for a start after a reboot. */
const WRITE_INTERVAL_S = 5;

/**
 * The one confirm window that may be open. Its deadline counts on the boot clock, which goes on
 * while the machine sleeps and does not follow the wall clock.
 */
export class ConfirmWindow {
  readonly #clock: () => number;
  readonly #now: () => number;
  #row: WindowRow | null = null;
  #expected: WindowRow | null = null;
  #deadline = 0;

  /** `clock` is the boot clock in seconds, `now` the wall clock in milliseconds. */
  constructor(clock: () => number, now: () => number) {
    this.#clock = clock;
    this.#now = now;
  }

  get change(): string | null {
    return this.#row?.change ?? null;
  }

  /** The row that opens a window now, for the journal. */
  draft(change: string, request: { summary: string; token: string; seconds: number }): WindowRow {
    return {
      change,
      summary: request.summary,
      tokenHash: hashText(request.token),
      seconds: request.seconds,
      opened: Math.floor(this.#clock()),
      left: request.seconds,
    };
  }

  /** Takes its token from now on: a caller that is answered early has it before it opens. */
  expect(row: WindowRow): void {
    this.#expected = row;
  }

  /** What was expected does not open after all. */
  forget(): void {
    this.#expected = null;
  }

  /** Opens it, once its row is durable. Answers its end, unix milliseconds. */
  open(row: WindowRow): number {
    this.#expected = null;
    this.#row = row;
    this.#deadline = this.#clock() + row.seconds;
    return this.#now() + row.seconds * 1000;
  }

  /** Takes up a window that a restart interrupted: the remaining time continues, never more than was requested. */
  resume(row: WindowRow): void {
    const now = this.#clock();
    const sameBoot = now >= row.opened;
    const left = sameBoot ? Math.min(row.seconds, row.opened + row.seconds - now) : row.left;
    this.#row = row;
    this.#deadline = now + Math.min(left, row.seconds, row.left);
  }

  close(): void {
    this.#row = null;
  }

  get secondsLeft(): number {
    return Math.max(0, this.#deadline - this.#clock());
  }

  get overdue(): boolean {
    return this.#row !== null && this.secondsLeft <= 0;
  }

  /** The seconds left, when they are due to be written down. */
  dueSecondsLeft(): number | null {
    if (this.#row === null) return null;
    const left = Math.ceil(this.secondsLeft);
    if (this.#row.left - left < WRITE_INTERVAL_S) return null;
    this.#row = { ...this.#row, left };
    return left;
  }

  current(): OpenWindow | null {
    if (this.#row === null) return null;
    const secondsLeft = Math.ceil(this.secondsLeft);
    return {
      id: this.#row.change,
      until: this.#now() + secondsLeft * 1000,
      secondsLeft,
      summary: this.#row.summary,
    };
  }

  /** True for the token that was answered for this change, or, with null, for the change that awaits confirmation. */
  matches(token: string, change: string | null = null): boolean {
    const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
    return [this.#row, this.#expected].some((row) =>
      row !== null && (change === null || row.change === change) &&
      timingSafeEqual(encode(hashText(token)), encode(row.tokenHash))
    );
  }
}
