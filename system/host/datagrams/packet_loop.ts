import { setImmediate } from "node:timers";
import { type PacketCalls, RUNTIME } from "./packet_calls.ts";

/**
 * Milliseconds between two arrivals up to which the next one is waited for on the thread itself: to
 * have another thread wait costs more than many answers. One such wait takes {@link PAUSE} at most,
 * for the sake of timers; what the runtime has ends it at once.
 */
const BUSY = 10, PAUSE = 4;
/** Milliseconds of packets and waits after which all else that waits has its turn. */
const TURN = 8;
/**
 * Milliseconds after which the runtime is let look at its files and connections: while it has something
 * and there are packets as well, and in any case; where nobody hears that it has something, in any case.
 */
const NEAR = 1, FAR = 25, UNHEARD = 1;

/**
 * Tries to hear what the runtime has, and milliseconds from the first to the second, twice as many to
 * the next: they fail while it has something again and again, as at the program's start.
 */
const TRIES = 14, FIRST_TRY = 2;

/** What is called when a socket has something. */
export type Serve = () => void;

/** Waits for many sockets at once and has each served, while somebody wants it. */
export class PacketLoop {
  readonly #calls: PacketCalls;
  readonly #serves = new Map<number, Serve>();
  readonly #ends: (() => void)[] = [];
  readonly #hearRuntime: () => void;
  #tries = 0;
  #nextTry = -Infinity;
  #holders = 0;
  readonly #left: (() => void)[] = [];
  #running = false;
  #sleeping = false;
  #inRound = false;
  #turn = false;
  /** True when the runtime has something. */
  #rings = false;
  #flushing = false;
  /** When packets came last, how long after those before, and when the runtime was let look: milliseconds. */
  #came = -Infinity;
  #gap = Infinity;
  #rested = -Infinity;

  /** `hearRuntime` has {@link PacketCalls.hearRuntime} called, if that can be done. */
  constructor(calls: PacketCalls, hearRuntime: () => void) {
    this.#calls = calls;
    this.#hearRuntime = hearRuntime;
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
    queueMicrotask(() => {
      this.#flushing = false;
      this.#end();
    });
  }

  /** Says that what was just done goes on elsewhere, which must have its turn at once. */
  goesOn(): void {
    this.#turn = true;
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
    for (;;) {
      for (const left of this.#left.splice(0)) left();
      if (this.#holders === 0) break;
      const far = this.#calls.hearsRuntime ? FAR : UNHEARD;
      if (this.#rings || this.#calls.now() - this.#rested >= far) {
        await this.#calls.rest();
        this.#hasLooked();
      } else await nextTurn();
      if (!this.#takeTurn()) await this.#sleep();
    }
    this.#running = false;
  }

  /** Told when the runtime has looked at its files and connections. */
  #hasLooked(): void {
    const now = this.#rested = this.#calls.now();
    if (this.#calls.hearsRuntime || this.#tries === TRIES || now < this.#nextTry) return;
    // Only now, when it has taken all that it had, can it be seen to have more.
    this.#nextTry = now + FIRST_TRY * 2 ** this.#tries++;
    try {
      this.#hearRuntime();
    } catch {
      // Where the loopback cannot be used the runtime is let look now and then.
    }
  }

  /**
   * Serves what comes for a turn; false when it is too quiet to wait for it on the thread. Apart from
   * the loop, which lasts as long as the program: what is called again and again is compiled best, and
   * only so calls the C library without detours.
   */
  #takeTurn(): boolean {
    this.#rings = this.#turn = false;
    const began = this.#calls.now();
    const isBusy = this.#calls.hearsRuntime && this.#gap < BUSY && began - this.#came < BUSY;
    let count = this.#calls.wait(isBusy ? PAUSE : 0);
    if (count === 0) return isBusy;
    do {
      const served = this.#round(count);
      const now = this.#calls.now();
      if (served) {
        this.#gap = now - this.#came;
        this.#came = now;
      }
      if (this.#turn || this.#holders === 0 || now - began >= TURN) break;
      if (this.#rings && (!served || now - this.#rested >= NEAR)) break;
      count = this.#calls.wait(isBusy && !this.#rings ? PAUSE : 0);
    } while (count > 0);
    return true;
  }

  async #sleep(): Promise<void> {
    if (this.#holders === 0 || this.#left.length > 0) return;
    this.#sleeping = true;
    await this.#calls.sleep();
    this.#sleeping = false;
    this.#hasLooked();
  }

  /** Has all served that have something; false when no socket of packets has. */
  #round(count: number): boolean {
    let served = false;
    this.#inRound = true;
    for (let i = 0; i < count; i++) {
      const descriptor = this.#calls.readyAt(i);
      if (descriptor === RUNTIME) this.#rings = true;
      if (descriptor < 0) continue;
      served = true;
      try {
        this.#serves.get(descriptor)?.();
      } catch (error) {
        // One packet must not end the answers to all others.
        reportError(error);
      }
    }
    this.#inRound = false;
    this.#end();
    return served;
  }

  #end(): void {
    for (const run of this.#ends) run();
  }
}

/** Lets all else that waits have its turn. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
