import { derivedFrom } from "./memo.ts";

/** Versions that are gone through from one that is indexed to another. */
const MAX_VERSIONS = 256;

type Members<T> = Readonly<Record<string, T>>;

/** How something is found out of all members of a record, one member at a time. */
export interface IndexOf<T, I> {
  readonly empty: () => I;
  readonly add: (index: I, name: string, member: T) => void;
  /** Takes back what `add` did for this member. */
  readonly remove: (index: I, name: string, member: T) => void;
}

/**
 * Keeps one index, which is carried from the version of a record that was asked for last to the next, older
 * or newer. That costs as much as differs while the former version and those between are in memory, else as
 * much as a new index. Records must be immutable, and the index be used before another is asked for. It
 * changes speed, never a result.
 */
export function memberIndex<T, I>({ empty, add, remove }: IndexOf<T, I>) {
  // Weak: an index that is seldom asked must not keep deleted members and all results of an old version
  // in memory. The version in force stays in memory by itself, and an older one until a collection of
  // garbage, which looks at all members as well: at most one new index follows each.
  let last: { readonly record: WeakRef<Members<T>>; readonly index: I } | null = null;
  return (record: Members<T>): I => {
    const before = last?.record.deref();
    if (last !== null && before === record) return last.index;
    const names = before === undefined ? null : namesBetween(before, record);
    if (last === null || before === undefined || names === null) {
      const index = empty();
      for (const name of Object.keys(record)) add(index, name, record[name]!);
      last = { record: new WeakRef(record), index };
      return index;
    }
    const { index } = last;
    for (const name of names) {
      const [was, is] = [memberOf(before, name), memberOf(record, name)];
      if (was === is) continue;
      if (was !== undefined) remove(index, name, was);
      if (is !== undefined) add(index, name, is);
    }
    last = { record: new WeakRef(record), index };
    return index;
  };
}

function memberOf<T>(record: Members<T>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

/** Names in which one version may differ from another that was made of it, or that it was made of. */
function namesBetween(a: object, b: object): ReadonlySet<string> | null {
  return namesSince(a, b) ?? namesSince(b, a);
}

function namesSince(earlier: object, record: object): ReadonlySet<string> | null {
  const names = new Set<string>();
  let at = record;
  for (let back = 0; back < MAX_VERSIONS; back++) {
    const origin = derivedFrom(at);
    if (origin === null) return null;
    for (const name of origin.difference) names.add(name);
    at = origin.from;
    if (at === earlier) return names;
  }
  return null;
}

/** Names of the members that have each key; `keyOf` gives the key of a member. */
export function namesByKey<T, K>(
  keyOf: (member: T) => K,
): (record: Members<T>, key: K) => readonly string[] {
  const index = memberIndex<T, Map<K, Set<string>>>({
    empty: () => new Map(),
    add: (byKey, name, member) => {
      const key = keyOf(member);
      const names = byKey.get(key);
      if (names === undefined) byKey.set(key, new Set([name]));
      else names.add(name);
    },
    remove: (byKey, name, member) => {
      const key = keyOf(member);
      const names = byKey.get(key);
      names?.delete(name);
      if (names?.size === 0) byKey.delete(key);
    },
  });
  return (record, key) => {
    const names = [...index(record).get(key) ?? []];
    if (names.length < 2) return names;
    // In the order of the record, which the index does not keep.
    const wanted = new Set(names);
    return Object.keys(record).filter((name) => wanted.has(name));
  };
}
