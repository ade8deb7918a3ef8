import { setImmediate } from "node:timers";
import { type PacketCalls, WOKEN } from "./packet_calls.ts";

/**
 * The runtime polls its own files and connections only when it has nothing to run, and so never by itself
 * while packets follow each other. It is made to this often: while its connections are in use, and else.
 * A poll takes two switches of threads, as long as a dozen responses: every 25 ms it delays less than one
 * of a hundred queries at 5,000 a second.
 */
const ACTIVE_INTERVAL_MS = 1, IDLE_INTERVAL_MS = 25;
/** How long connections count as in use after the last sign of it: most responses come within it. */
const ACTIVE_MS = 100;

/** Called when a socket has packets. */
export type Serve = () => void;

/** Waits for many sockets in one call and serves each while it is referenced. */
export class PacketLoop {
  readonly #calls: PacketCalls;
  readonly #serves = new Map<number, Serve>();
  readonly #flushes: (() => void)[] = [];
  readonly #released: (() => void)[] = [];
  #holders = 0;
  #running = false;
  #sleeping = false;
  #inRound = false;
  #flushQueued = false;
  /** Work was handed to the runtime since it polled last. */
  #handedOn = false;
  #activeUntil = -Infinity;
  /** When packets arrived last, how long after those before, and when the runtime polled last. */
  #arrived = -Infinity;
  #gap = Infinity;
  #polled = -Infinity;

  constructor(calls: PacketCalls) {
    this.#calls = calls;
  }

  /** Has a socket served whenever it has packets, while the loop runs. What is thrown is reported. */
  serve(descriptor: number, serve: Serve): void {
    this.#calls.watch(descriptor);
    this.#serves.set(descriptor, serve);
  }

  leave(descriptor: number): void {
    this.#serves.delete(descriptor);
  }

  /** Registers what sends gathered packets: it runs after each round, and after {@link gathered}. */
  onFlush(flush: () => void): void {
    this.#flushes.push(flush);
  }

  /** Announces packets to send: they go out after the round, or outside of one after this turn. */
  gathered(): void {
    if (this.#inRound || this.#flushQueued) return;
    this.#flushQueued = true;
    queueMicrotask(() => {
      this.#flushQueued = false;
      this.#flush();
    });
  }

  /** Announces that a connection of the runtime is in use: it polls more often for a while. */
  connectionUsed(): void {
    this.#activeUntil = this.#calls.now() + ACTIVE_MS;
  }

  /** Announces work that goes on over a connection of the runtime: it polls at once. */
  handOn(): void {
    this.#handedOn = true;
    this.connectionUsed();
  }

  /** Runs from now on until {@link release} was called as often. */
  hold(): void {
    this.#holders++;
    if (!this.#running) void this.#run();
  }

  /** Takes a {@link hold} back. `released` is called once nothing waits on its behalf any more. */
  release(released?: () => void): void {
    this.#holders--;
    if (released !== undefined) this.#released.push(released);
    if (this.#sleeping && (released !== undefined || this.#holders === 0)) this.#calls.wake();
  }

  async #run(): Promise<void> {
    this.#running = true;
    for (;;) {
      for (const released of this.#released.splice(0)) released();
      if (this.#holders === 0) break;
      const now = this.#calls.now();
      if (this.#handedOn || now - this.#polled >= this.#interval(now)) {
        await this.#calls.yieldThread();
        this.#polled = this.#calls.now();
      } else await nextTurn();
      if (!this.#takeTurn()) await this.#sleep();
    }
    this.#running = false;
  }

  /**
   * Serves what arrives until it is the runtime's turn; false when it is too quiet for the thread to
   * wait. Apart from the loop, which lasts as long as the program: what is called again and again is
   * compiled best, and only so calls the C library without detours.
   */
  #takeTurn(): boolean {
    const began = this.#calls.now();
    const interval = this.#interval(began);
    // To have another thread wait costs more than several responses, so while the next packet is due the
    // thread itself waits, unless the runtime has something to wait for as well.
    const isDue = !this.#handedOn && this.#gap < interval && began - this.#arrived < interval;
    const left = (now: number): number =>
      isDue ? Math.max(0, Math.ceil(this.#polled + interval - now)) : 0;
    this.#handedOn = false;
    let count = this.#calls.wait(left(began));
    if (count === 0) return isDue;
    do {
      const served = this.#round(count);
      const now = this.#calls.now();
      if (served) {
        this.#gap = now - this.#arrived;
        this.#arrived = now;
      }
      if (this.#handedOn || this.#holders === 0 || now - this.#polled >= interval) break;
      count = this.#calls.wait(left(now));
    } while (count > 0);
    return true;
  }

  #interval(now: number): number {
    return now < this.#activeUntil ? ACTIVE_INTERVAL_MS : IDLE_INTERVAL_MS;
  }

  /** Another thread waits; the runtime polls meanwhile. */
  async #sleep(): Promise<void> {
    if (this.#holders === 0 || this.#released.length > 0) return;
    this.#sleeping = true;
    await this.#calls.sleep();
    this.#sleeping = false;
    this.#polled = this.#calls.now();
  }

  /** Serves the sockets that are ready; false when none has packets. */
  #round(count: number): boolean {
    let served = false;
    this.#inRound = true;
    for (let i = 0; i < count; i++) {
      const descriptor = this.#calls.readyAt(i);
      if (descriptor === WOKEN) continue;
      served = true;
      try {
        this.#serves.get(descriptor)?.();
      } catch (error) {
        // One packet must not end the responses to all others.
        reportError(error);
      }
    }
    this.#inRound = false;
    this.#flush();
    return served;
  }

  #flush(): void {
    for (const flush of this.#flushes) flush();
  }
}

/** Lets all else that is due have its turn. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
