import { atOnce } from "../time/slices.ts";

/*
 * Results that are kept while what they were computed of stands. Configurations are immutable and
 * mostly large records of which one member changes at a time: what changed is found out once for each
 * pair of versions. It changes speed, never a result.
 */

/** How many results a value keeps; the oldest go first. Those of functions that are gone go before. */
const MAX_KEPT = 48;

/** Stands for a result that there is not. */
const NONE = Symbol("no result");

/** Members or elements above which the results of a value lie beside it. */
const LARGE = 128;

function isLarge(value: object): boolean {
  if (Array.isArray(value)) return value.length > LARGE;
  let members = 0;
  for (const _ in value) if (++members > LARGE) return true;
  return false;
}

/** A class whose constructor makes nothing: fields of its subclasses are put on the value itself. */
class Itself {
  constructor(value: object) {
    return value;
  }
}

/**
 * A value with the results of it in a private field, which copies of the value do not have. Large values
 * have none: V8 copies a record of a thousand members in 8 µs where it has the form of the one before,
 * and in 350 where that has a field besides.
 */
class WithResults extends Itself {
  static readonly #ofLarge = new WeakMap<object, readonly unknown[]>();

  /** By turns whose result follows, a weak reference to a {@link KeptResults}, and that result. */
  #kept: readonly unknown[] = [];

  static of(value: object): readonly unknown[] | null {
    return #kept in value ? value.#kept : WithResults.#ofLarge.get(value) ?? null;
  }

  static keep(value: object, kept: readonly unknown[]): void {
    if (!(#kept in value)) {
      if (isLarge(value)) return void WithResults.#ofLarge.set(value, kept);
      new WithResults(value);
    }
    (value as WithResults).#kept = kept;
  }
}

/**
 * Results of one function, each kept with the value that it was computed of, mostly in a private field.
 * They go with that value at the latest. V8 follows what a WeakMap holds only in the pause at the end of a
 * collection of garbage, most of which that was with 1,000 devices; it follows fields while the program
 * goes on. In two ways this is less than a WeakMap: results of a function that is gone stay until the
 * value gets another result, and a value with more than {@link MAX_KEPT} results loses the oldest, which
 * are computed anew. So a result must not hold state that cannot be computed again.
 */
class KeptResults<T extends object, R> {
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

/**
 * A function that keeps its last result: while every input is the same value as before, by identity,
 * it answers that result instead of computing it again.
 */
export function memo<Inputs extends readonly unknown[], Value>(
  compute: (...inputs: Inputs) => Value,
): (...inputs: Inputs) => Value {
  return memoInSteps(compute);
}

/** What {@link memoInSteps} makes. */
export interface MemoInSteps<Inputs extends readonly unknown[], Value> {
  (...inputs: Inputs): Value;
  /** The same in small steps; the function has the result at hand afterwards. */
  steps(...inputs: Inputs): Generator<void, Value>;
}

/** {@link memo}, also in small steps where there are such. Both must give the same. */
export function memoInSteps<Inputs extends readonly unknown[], Value>(
  compute: (...inputs: Inputs) => Value,
  steps?: (...inputs: Inputs) => Generator<void, Value>,
): MemoInSteps<Inputs, Value> {
  let last: { readonly inputs: Inputs; readonly value: Value } | null = null;
  const known = (inputs: Inputs): boolean =>
    last !== null && inputs.length === last.inputs.length &&
    inputs.every((input, at) => Object.is(input, last!.inputs[at]));
  const get = (...inputs: Inputs): Value => {
    if (!known(inputs)) last = { inputs, value: compute(...inputs) };
    return last!.value;
  };
  return Object.assign(get, {
    *steps(...inputs: Inputs): Generator<void, Value> {
      if (known(inputs) || steps === undefined) return get(...inputs);
      const value = yield* steps(...inputs);
      last = { inputs, value };
      return value;
    },
  });
}

/**
 * Computes something of each value once and keeps it with the value, so that equal calls give the
 * same object. Values must be immutable.
 */
export function onceEach<T extends object, R>(compute: (value: T) => R): (value: T) => R {
  const results = new KeptResults<T, R>();
  return (value) => {
    const known = results.get(value);
    if (known !== NONE) return known;
    const result = compute(value);
    results.set(value, result);
    return result;
  };
}

/** A function that keeps its results, and takes long for a large value. */
export interface InSteps<T extends object, R> {
  (value: T): R;
  /** The same in small steps; the function has the result at hand afterwards. */
  steps(value: T): Generator<void, R>;
  /** True where the result is at hand. */
  isKnown(value: T): boolean;
}

/**
 * {@link onceEach}, also in small steps. `compute` gives the same at once, where that is faster for what
 * is small. Values must be immutable.
 */
export function onceEachInSteps<T extends object, R>(
  steps: (value: T) => Generator<void, R>,
  compute: (value: T) => R = (value) => atOnce(steps(value)),
): InSteps<T, R> {
  const results = new KeptResults<T, R>();
  const keep = (value: T, result: R): R => {
    results.set(value, result);
    return result;
  };
  const get = (value: T): R => {
    const known = results.get(value);
    return known === NONE ? keep(value, compute(value)) : known;
  };
  return Object.assign(get, {
    *steps(value: T): Generator<void, R> {
      const known = results.get(value);
      return known === NONE ? keep(value, yield* steps(value)) : known;
    },
    isKnown: (value: T): boolean => results.get(value) !== NONE,
  });
}

/** What is known of how a value differs from the one it was made of. */
export class Differences<T extends object, D> {
  /** Weak both ways, or every value would keep all that came before it. */
  readonly #known = new WeakMap<T, { readonly from: WeakRef<T>; readonly difference: D }>();

  /** Notes that two values differ in this and in nothing else. */
  note(from: T, to: T, difference: D): void {
    this.#known.set(to, { from: new WeakRef(from), difference });
  }

  /** How the second value differs from the first; null when that is not known. */
  between(from: T, to: T): D | null {
    const known = this.#known.get(to);
    return known?.from.deref() === from ? known.difference : null;
  }

  /** The value that this one was made of, while it is still in use. */
  origin(of: T): { readonly from: T; readonly difference: D } | null {
    const known = this.#known.get(of);
    const from = known?.from.deref();
    return known === undefined || from === undefined
      ? null
      : { from, difference: known.difference };
  }
}

const changedNames = new Differences<object, readonly string[]>();
/** The same of records of which the second has further members. */
const grownNames = new Differences<object, readonly string[]>();

/** Changed members up to which it is worth knowing them one by one. */
const MAX_CHANGED_MEMBERS = 64;

/** Versions that are gone back through to one of which the result is known. */
const MAX_VERSIONS_BACK = 8;

type Members<T> = Readonly<Record<string, T>>;

/**
 * The record with some of its members replaced or added; {@link changedMembers} knows which were
 * replaced, {@link differingMembers} also of those that were added.
 */
export function derive<T>(record: Members<T>, changes: Members<T>): Members<T> {
  const result = { ...record, ...changes };
  const names = Object.keys(changes);
  if (names.length > MAX_CHANGED_MEMBERS) return result;
  const replaces = names.every((name) => Object.hasOwn(record, name));
  (replaces ? changedNames : grownNames).note(record, result, names);
  return result;
}

/** The record that this one was made of, while it is in use, and the names of what may be another in it. */
export function derivedFrom(
  record: object,
): { readonly from: object; readonly difference: readonly string[] } | null {
  return changedNames.origin(record) ?? grownNames.origin(record);
}

/**
 * Names of members that are others in a record made of another by {@link derive}, and of those that it
 * has besides, which are behind all others; null where it is not known to be made so.
 */
export function grownMembers(
  before: object,
  after: object,
): { readonly changed: readonly string[]; readonly added: readonly string[] } | null {
  const known = grownNames.between(before, after);
  if (known === null) return null;
  const { true: changed = [], false: added = [] } = Object.groupBy(
    known,
    (name) => Object.hasOwn(before, name) ? "true" : "false",
  );
  return { changed, added };
}

/** Names of which the records hold other values, or one of them none. */
export function differingMembers(before: object, after: object): readonly string[] {
  if (before === after) return [];
  const known = changedNames.between(before, after) ?? grownNames.between(before, after);
  if (known !== null) return known;
  const [old, now] = [before as Members<unknown>, after as Members<unknown>];
  const names = Object.keys(old).filter((name) => old[name] !== now[name] || !(name in now));
  for (const name of Object.keys(now)) if (!Object.hasOwn(old, name)) names.push(name);
  return names;
}

/**
 * Names whose members are not the same objects or values in both records; null when they do not have
 * the same names in the same order, or too much changed.
 */
export function changedMembers(before: object, after: object): readonly string[] | null {
  if (before === after) return [];
  const known = changedNames.between(before, after);
  if (known !== null) return known;
  const names = compared(before as Members<unknown>, after as Members<unknown>);
  if (names !== null) changedNames.note(before, after, names);
  return names;
}

function compared(
  before: Members<unknown>,
  after: Members<unknown>,
): readonly string[] | null {
  const [old, now] = [Object.keys(before), Object.keys(after)];
  if (old.length !== now.length) return null;
  const changed: string[] = [];
  for (const [index, name] of now.entries()) {
    if (name !== old[index]) return null;
    if (before[name] === after[name]) continue;
    if (changed.push(name) > MAX_CHANGED_MEMBERS) return null;
  }
  return changed;
}

/** How the result of a record is computed, and how of that of an earlier version. */
export type VersionedResult<T extends object, R> =
  & (
    | { readonly compute: (record: T) => R }
    /** The same in small steps, where it takes long. */
    | { readonly steps: (record: T) => Generator<void, R> }
  )
  & {
    /** `changed`: the members that may differ; both versions have the same names in the same order. */
    readonly update: (earlier: R, record: T, changed: readonly string[]) => R;
    /** `update` takes also a record with further members, which are among the changed ones. */
    readonly grows?: boolean;
  };

/** What {@link perVersion} makes. */
export interface PerVersion<T extends object, R> extends InSteps<T, R> {
  /** Names of the members that the result of a record is computed of anew. */
  changed(record: T): readonly string[];
}

/**
 * Computes something of each version of a record once, where it can of an earlier version's result,
 * and keeps it with the record.
 */
export function perVersion<T extends object, R>(
  result: VersionedResult<T, R>,
): PerVersion<T, R> {
  const { grows = false } = result;
  const results = new KeptResults<T, R>();
  /** The latest earlier version with a result, and the members that may differ; null where none is known. */
  const earlier = (
    record: T,
  ): { readonly result: R; readonly changed: readonly string[] } | null => {
    const changed = new Set<string>();
    let at: T = record;
    for (let back = 0; back < MAX_VERSIONS_BACK; back++) {
      const origin = changedNames.origin(at) ?? (grows ? grownNames.origin(at) : null);
      if (origin === null) return null;
      for (const name of origin.difference) changed.add(name);
      at = origin.from as T;
      const known = results.get(at);
      if (known !== NONE) return { result: known, changed: [...changed] };
    }
    return null;
  };
  function* steps(record: T): Generator<void, R> {
    const known = results.get(record);
    if (known !== NONE) return known;
    const from = earlier(record);
    const made = from !== null
      ? result.update(from.result, record, from.changed)
      : "steps" in result
      ? yield* result.steps(record)
      : result.compute(record);
    results.set(record, made);
    return made;
  }
  const get = (record: T): R => {
    const known = results.get(record);
    return known === NONE ? atOnce(steps(record)) : known;
  };
  return Object.assign(get, {
    steps,
    isKnown: (record: T): boolean => results.get(record) !== NONE,
    changed: (record: T): readonly string[] =>
      results.get(record) !== NONE ? [] : earlier(record)?.changed ?? Object.keys(record),
  });
}

/**
 * Gives the same record for versions whose members are all the same by `same`: it stands for every one of
 * them where results depend on nothing but what `same` compares.
 */
export function sameWhere<T>(
  same: (before: T, after: T) => boolean,
): (record: Members<T>) => Members<T> {
  return perVersion<Members<T>, Members<T>>({
    compute: (record) => record,
    update: (earlier, record, changed) =>
      changed.every((name) => same(earlier[name]!, record[name]!)) ? earlier : record,
  });
}
