/** How many results a value keeps; the oldest go first. Those of functions that are gone go before. */
const MAX_KEPT = 48;

/** Stands for a result that there is not. */
export const NONE = Symbol("no result");

/** A class whose constructor makes nothing: fields of its subclasses are put on the value itself. */
class Itself {
  constructor(value: object) {
    return value;
  }
}

/** A value with the results of it in a private field, which copies of the value do not have. */
class WithResults extends Itself {
  /** By turns whose result follows, a weak reference to a {@link KeptResults}, and that result. */
  #kept: readonly unknown[] = [];

  static of(value: object): readonly unknown[] | null {
    return #kept in value ? value.#kept : null;
  }

  static keep(value: object, kept: readonly unknown[]): void {
    if (!(#kept in value)) new WithResults(value);
    (value as WithResults).#kept = kept;
  }
}

/**
 * Results of one function, each kept with the value that it was computed of, in a private field. They go
 * with that value at the latest. V8 follows what a WeakMap holds only in the pause at the end of a
 * collection of garbage, most of which that was with 1,000 devices; it follows fields while the program
 * goes on. In two ways this is less than a WeakMap: results of a function that is gone stay until the
 * value gets another result, and a value with more than {@link MAX_KEPT} results loses the oldest, which
 * are computed anew. So a result must not hold state that cannot be computed again.
 */
export class KeptResults<T extends object, R> {
  /** Weak, since functions are also made for a time, and values outlast them. */
  readonly #own = new WeakRef<object>(this);

  /** The result of a value, or {@link NONE}. */
  get(value: T): R | typeof NONE {
    const kept = WithResults.of(value);
    if (kept === null) return NONE;
    for (let at = 0; at < kept.length; at += 2) {
      if (kept[at] === this.#own) return kept[at + 1] as R;
    }
    return NONE;
  }

  /** Keeps the result of a value. */
  set(value: T, result: R): void {
    const before = WithResults.of(value);
    const kept: unknown[] = [];
    for (let at = 0; before !== null && at < before.length; at += 2) {
      const of = before[at] as WeakRef<object>;
      if (of !== this.#own && of.deref() !== undefined) kept.push(of, before[at + 1]);
    }
    kept.push(this.#own, result);
    WithResults.keep(value, kept.length > 2 * MAX_KEPT ? kept.slice(-2 * MAX_KEPT) : kept);
  }
}
