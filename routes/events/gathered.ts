/** Milliseconds after items went out in which further ones are gathered. */
const GATHER_MS = 25;

/**
 * Items for one reader that go out together: at the end of this turn, or a moment after the last ones.
 * Each write to a connection costs much more than an event in it.
 */
export class Gathered<T> {
  readonly #out: (items: readonly T[]) => void;
  #items: T[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isDue = false;
  #last = -Infinity;

  constructor(out: (items: readonly T[]) => void) {
    this.#out = out;
  }

  add(item: T): void {
    this.#items.push(item);
    if (this.#isDue) return;
    this.#isDue = true;
    const wait = this.#last + GATHER_MS - performance.now();
    if (wait > 0) this.#timer = setTimeout(() => this.flush(), wait);
    else queueMicrotask(() => this.flush());
  }

  flush(): void {
    this.#isDue = false;
    clearTimeout(this.#timer);
    if (this.#items.length === 0) return;
    const items = this.#items;
    this.#items = [];
    this.#last = performance.now();
    this.#out(items);
  }

  /** Sends nothing any more of what waits. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#items = [];
  }
}
