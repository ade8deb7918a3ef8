import { setImmediate } from "node:timers";
import type { PacketCalls } from "./packet_calls.ts";

/**
 * Milliseconds between two arrivals up to which the next one is waited for on the thread itself: to
 * have another thread wait costs more than many answers. One such wait takes {@link PAUSE} at most.
 */
const BUSY = 2, PAUSE = 1;
/** Milliseconds of packets and waits after which all else that waits has its turn. */
const TURN = 0.5;

/**
 * Milliseconds of turns after which there is a rest, in which all else is looked at: while something is
 * awaited elsewhere, and else. Something is for so long after it was begun or heard of.
 */
const NEAR = 1, FAR = 4, ELSEWHERE = 100;
/** Milliseconds after that for which it is expected at any moment, so that the thread is not held. */
const EXPECTED = 5;

/** What is called when a socket has something. */
export type Serve = () => void;

/** Waits for many sockets at once and has each served, while somebody wants it. */
export class PacketLoop {
  readonly #calls: PacketCalls;
  readonly #serves = new Map<number, Serve>();
  readonly #ends: (() => void)[] = [];
  #holders = 0;
  readonly #left: (() => void)[] = [];
  #running = false;
  #sleeping = false;
  #inRound = false;
  #turn = false;
  #elsewhere = -Infinity;
  #flushing = false;

  constructor(calls: PacketCalls) {
    this.#calls = calls;
  }

  /** Has a socket served whenever it has something, while the loop runs. What is thrown is reported. */
  serve(descriptor: number, serve: Serve): void {
    this.#calls.watch(descriptor);
    this.#serves.set(descriptor, serve);
  }

  leave(descriptor: number): void {
    this.#serves.delete(descriptor);
  }

  /** Has this run whenever a round of packets is over, and after {@link gathered}. */
  atEnd(run: () => void): void {
    this.#ends.push(run);
  }

  /** Says that something waits for the end of the round: outside of one that is the end of this turn. */
  gathered(): void {
    if (this.#inRound || this.#flushing) return;
    this.#flushing = true;
    this.#elsewhere = performance.now();
    queueMicrotask(() => {
      this.#flushing = false;
      this.#end();
    });
  }

  /** Says that what was just done goes on elsewhere, which must have its turn at once. */
  goesOn(): void {
    this.#turn = true;
    this.#elsewhere = performance.now();
  }

  /** Runs from now on until {@link release} was called as often. */
  hold(): void {
    this.#holders++;
    if (!this.#running) void this.#run();
  }

  /** Takes a {@link hold} back. `left` is called once nothing waits for its sake any more. */
  release(left?: () => void): void {
    this.#holders--;
    if (left !== undefined) this.#left.push(left);
    if (this.#sleeping && (left !== undefined || this.#holders === 0)) this.#calls.wake();
  }

  async #run(): Promise<void> {
    this.#running = true;
    let came = -Infinity, gap = Infinity, rested = -Infinity;
    for (;;) {
      for (const left of this.#left.splice(0)) left();
      if (this.#holders === 0) break;
      const now = performance.now();
      if (now - rested >= (now - this.#elsewhere < ELSEWHERE ? NEAR : FAR)) {
        await this.#calls.rest();
        rested = performance.now();
      } else await nextTurn();
      const isBusy = gap < BUSY && now - came < BUSY && now - this.#elsewhere >= EXPECTED;
      let count = this.#calls.wait(isBusy ? PAUSE : 0);
      if (count === 0 && !isBusy) {
        await this.#sleep();
        rested = performance.now();
        count = this.#calls.wait(0);
      }
      if (count === 0) continue;
      const began = performance.now();
      gap = began - came;
      came = began;
      this.#turn = false;
      while (count > 0) {
        this.#round(count);
        if (this.#turn || this.#holders === 0) break;
        const now = performance.now();
        if (now - began >= TURN) break;
        count = this.#calls.wait(isBusy ? PAUSE : 0);
        if (count > 0) came = performance.now();
      }
    }
    this.#running = false;
  }

  async #sleep(): Promise<void> {
    if (this.#holders === 0 || this.#left.length > 0) return;
    this.#sleeping = true;
    await this.#calls.sleep();
    this.#sleeping = false;
  }

  #round(count: number): void {
    this.#inRound = true;
    for (let i = 0; i < count; i++) {
      try {
        this.#serves.get(this.#calls.readyAt(i))?.();
      } catch (error) {
        // One packet must not end the answers to all others.
        reportError(error);
      }
    }
    this.#inRound = false;
    this.#end();
  }

  #end(): void {
    for (const run of this.#ends) run();
  }
}

/** Lets all else that waits have its turn. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
