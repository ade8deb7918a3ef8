/** Milliseconds that long work may hold the loop at a time. */
const SLICE_MS = 20;

/** How work in slices is paced; tests give their own. */
export interface SliceOptions {
  /** Ends the work with this signal's reason. */
  readonly signal?: AbortSignal;
  /** Monotonic milliseconds. */
  readonly clock?: () => number;
  /** Lets everything else that waits have its turn. */
  readonly turn?: () => Promise<void>;
}

/**
 * Runs work that yields after each small step, and lets others have their turn every
 * {@link SLICE_MS}, so that a large question does not keep small ones waiting.
 */
export async function inSlices<R>(
  steps: Iterator<void, R>,
  { signal, clock = () => performance.now(), turn = macrotask }: SliceOptions = {},
): Promise<R> {
  for (let began = clock();;) {
    const step = steps.next();
    if (step.done) return step.value;
    if (clock() - began < SLICE_MS) continue;
    await turn();
    signal?.throwIfAborted();
    began = clock();
  }
}

/** Runs all of it at once. */
export function atOnce<R>(steps: Iterator<void, R>): R {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Timers of no time let what is ready on sockets go first; a resolved promise would not. */
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
      work = { result, ending, callers: 0 };
      named.set(name, work);
      const forget = (): void => void named.delete(name);
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
