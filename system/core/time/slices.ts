/** Milliseconds that long work holds the loop at a time: while others wait for little, and at most. */
const SLICE_MS = 8, MAX_SLICE_MS = 40;
/** Share of others' time that long work gets after it, so that it gets on however busy the loop is. */
const SHARE = 1 / 2;
/** A turn of the loop in which others had work to do takes longer than this many milliseconds. */
const QUIET_TURN_MS = 3;
/** Milliseconds that others may take between two slices, if one turn is not longer than that. */
const OTHERS_MS = SLICE_MS;

/** How work in slices is paced; tests give their own. */
export interface PaceOptions {
  /** Monotonic milliseconds. */
  readonly clock?: () => number;
  /** Lets everything else that waits have its turn. */
  readonly turn?: () => Promise<void>;
}

/**
 * Runs long works in turn, a slice of one of them at a time. Whatever else has work to do goes first:
 * a request of many small steps would otherwise wait for a slice of each work before each step.
 */
export class Pace {
  readonly #clock: () => number;
  readonly #turn: () => Promise<void>;
  /** Each runs a slice of so many milliseconds of a work; true once that work is over. */
  readonly #waiting: ((length: number) => boolean)[] = [];
  #isPacing = false;

  constructor({ clock = () => performance.now(), turn = macrotask }: PaceOptions = {}) {
    this.#clock = clock;
    this.#turn = turn;
  }

  /** Runs work that yields after each small step. Ends it with the signal's reason. */
  run<R>(steps: Iterator<void, R>, signal?: AbortSignal): Promise<R> {
    const { promise, resolve, reject } = Promise.withResolvers<R>();
    const slice = (length: number): boolean => {
      try {
        for (const began = this.#clock();;) {
          const step = steps.next();
          if (step.done) {
            resolve(step.value);
            return true;
          }
          if (this.#clock() - began >= length) return false;
        }
      } catch (error) {
        reject(error);
        return true;
      }
    };
    if (slice(SLICE_MS)) return promise;
    this.#waiting.push((length) => {
      if (signal?.aborted !== true) return slice(length);
      reject(signal.reason);
      return true;
    });
    if (!this.#isPacing) void this.#pace();
    return promise;
  }

  async #pace(): Promise<void> {
    this.#isPacing = true;
    while (this.#waiting.length > 0) {
      const taken = await this.#others();
      const length = Math.min(MAX_SLICE_MS, Math.max(SLICE_MS, taken * SHARE));
      const slice = this.#waiting.shift()!;
      if (!slice(length)) this.#waiting.push(slice);
    }
    this.#isPacing = false;
  }

  /** Lets others work until they have nothing to do, or had {@link OTHERS_MS}. Answers what they took. */
  async #others(): Promise<number> {
    let taken = 0;
    while (taken < OTHERS_MS) {
      const began = this.#clock();
      await this.#turn();
      const took = this.#clock() - began;
      if (took < QUIET_TURN_MS) break;
      taken += took;
    }
    return taken;
  }
}

const pace = new Pace();

/** Runs work that yields after each small step, so that a large question keeps no small ones waiting. */
export function inSlices<R>(
  steps: Iterator<void, R>,
  { signal }: { readonly signal?: AbortSignal | undefined } = {},
): Promise<R> {
  return pace.run(steps, signal);
}

/** Runs all of it at once. */
export function atOnce<R>(steps: Iterator<void, R>): R {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Lets whatever waits have its turn, between two parts of work that cannot be cut into small steps. */
export function letOthers(): Promise<void> {
  return macrotask();
}

/** Milliseconds of a {@link Turns} after which others have their turn. */
export const TURN_MS = 10;

/**
 * The turns of a work that others wait for, as a change is: it does not wait for other long works, but
 * lets whatever else is ready have one turn each time it has worked for {@link TURN_MS}.
 */
export class Turns {
  readonly #clock: () => number;
  readonly #turn: () => Promise<void>;
  #began: number;

  constructor({ clock = () => performance.now(), turn = macrotask }: PaceOptions = {}) {
    this.#clock = clock;
    this.#turn = turn;
    this.#began = clock();
  }

  /** Called after a wait, in which others had their turn. */
  begin(): void {
    this.#began = this.#clock();
  }

  /** Between two parts of the work: lets others have a turn if it is time. */
  async pause(): Promise<void> {
    if (this.#clock() - this.#began < TURN_MS) return;
    await this.#turn();
    this.begin();
  }

  /** Runs a part that yields after each small step. */
  async run<R>(steps: Iterator<void, R>): Promise<R> {
    for (;;) {
      const step = steps.next();
      if (step.done) return step.value;
      if (this.#clock() - this.#began >= TURN_MS) await this.pause();
    }
  }
}

/** Runs work that yields after each small step in {@link Turns} of its own. */
export function inTurns<R>(steps: Iterator<void, R>): Promise<R> {
  return new Turns().run(steps);
}

/** A timer of no time lets what is ready on sockets go first; promises and immediates do not. */
function macrotask(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

interface Running<R> {
  readonly result: Promise<R>;
  readonly ending: AbortController;
  callers: number;
}

/** Work to share: small steps, which run in slices, or whatever ends early with its signal. */
export type Shareable<R> =
  | { readonly steps: () => Iterator<void, R> }
  | { readonly work: (ending: AbortSignal) => Promise<R> };

/**
 * Work that callers of the same moment share. It ends early once all of them are gone. `key` is an
 * object that stands for everything the result depends on but `name`.
 */
export class SharedWork<R> {
  #running = new WeakMap<object, Map<string, Running<R>>>();

  async run(
    key: object,
    name: string,
    { signal, ...todo }: Shareable<R> & { readonly signal?: AbortSignal | undefined },
  ): Promise<R> {
    signal?.throwIfAborted();
    let named = this.#running.get(key);
    if (named === undefined) this.#running.set(key, named = new Map());
    let work = named.get(name);
    if (work === undefined) {
      const ending = new AbortController();
      const result = "steps" in todo
        ? inSlices(todo.steps(), { signal: ending.signal })
        : todo.work(ending.signal);
      const begun = work = { result, ending, callers: 0 };
      named.set(name, begun);
      const forget = (): void => {
        if (named.get(name) === begun) named.delete(name);
      };
      result.then(forget, forget);
    }
    const mine = work;
    mine.callers++;
    const { promise: gone, reject } = Promise.withResolvers<never>();
    const leave = (): void => {
      reject(signal?.reason);
      if (--mine.callers > 0) return;
      if (named.get(name) === mine) named.delete(name);
      mine.ending.abort(signal?.reason);
    };
    signal?.addEventListener("abort", leave, { once: true });
    try {
      return await Promise.race([mine.result, gone]);
    } finally {
      signal?.removeEventListener("abort", leave);
      if (signal?.aborted !== true) mine.callers--;
    }
  }
}
