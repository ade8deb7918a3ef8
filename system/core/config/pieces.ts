import { perVersion } from "./derived.ts";

type Members = Readonly<Record<string, unknown>>;

/** The pieces of a record, and of which earlier pieces they differ where. */
export interface Pieces<P> {
  readonly pieces: readonly P[];
  /** Position of each name's piece. */
  readonly positions: ReadonlyMap<string, number>;
  readonly before: readonly P[] | null;
  /** Positions of the pieces that are new. */
  readonly changed: readonly number[];
}

/**
 * Makes one piece of each member of a record, in an order of its names. Of a version that differs
 * from an earlier one in few members only those are made. Records must be immutable.
 */
export function piecesOf<P>(
  make: (name: string, member: unknown) => P,
  order: (names: string[]) => string[] = (names) => names,
): (record: Members) => Pieces<P> {
  const compute = (record: Members): Pieces<P> => {
    const names = order(Object.keys(record).filter((name) => record[name] !== undefined));
    return {
      pieces: names.map((name) => make(name, record[name])),
      positions: new Map(names.map((name, position) => [name, position])),
      before: null,
      changed: [],
    };
  };
  return perVersion({
    compute,
    update: ({ pieces: before, positions }, record, names) => {
      const known = names.every((name) => positions.has(name) && record[name] !== undefined);
      if (!known) return compute(record);
      const pieces = before.slice();
      for (const name of names) pieces[positions.get(name)!] = make(name, record[name]);
      const changed = names.map((name) => positions.get(name)!).sort((a, b) => a - b);
      return { pieces, positions, before, changed };
    },
  });
}
