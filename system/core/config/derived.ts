/*
 * Configurations are immutable and mostly large records of which one member changes at a time. What
 * changed is found out once for each pair, and everything that is computed of the whole asks here.
 * It changes speed, never a result.
 */
interface Derived {
  /** Weak, or every record would keep all that came before it. */
  readonly from: WeakRef<object>;
  readonly names: readonly string[];
}

const known = new WeakMap<object, Derived>();

/** Changed members up to which it is worth knowing them one by one. */
const MAX_CHANGED_MEMBERS = 64;

type Members<T> = Readonly<Record<string, T>>;

/** The record with some of its members replaced or added; {@link changedMembers} knows which. */
export function derive<T>(record: Members<T>, changes: Members<T>): Members<T> {
  const result = { ...record, ...changes };
  const names = Object.keys(changes);
  const replaces = names.length <= MAX_CHANGED_MEMBERS &&
    names.every((name) => Object.hasOwn(record, name));
  if (replaces) known.set(result, { from: new WeakRef(record), names });
  return result;
}

/**
 * Names whose members are not the same objects or values in both records; null when they do not have
 * the same names in the same order, or too much changed.
 */
export function changedMembers(before: object, after: object): readonly string[] | null {
  if (before === after) return [];
  const derived = known.get(after);
  if (derived?.from.deref() === before) return derived.names;
  const names = compared(before as Members<unknown>, after as Members<unknown>);
  if (names !== null) known.set(after, { from: new WeakRef(before), names });
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
