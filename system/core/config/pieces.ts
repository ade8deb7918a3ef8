import { changedMembers } from "./derived.ts";

/** Members from which on it pays to remember what the last record came to. */
const MIN_MEMBERS = 64;

interface Remembered<P> {
  readonly value: Readonly<Record<string, unknown>>;
  /** Where each name's piece stands. */
  readonly places: ReadonlyMap<string, number>;
  readonly pieces: readonly P[];
}

/** The pieces of a record, and of which earlier pieces they differ where. */
export interface Pieces<P> {
  readonly pieces: readonly P[];
  readonly before: readonly P[] | null;
  /** Positions of the pieces that are new. */
  readonly changed: readonly number[];
}

/**
 * Makes one piece of each member of a record, in an order of its names. The last large record is
 * remembered: of one that differs from it in few members only those are made. Records must be
 * immutable.
 */
export class PieceMaker<P> {
  readonly #order: (names: string[]) => string[];
  readonly #make: (name: string, member: unknown) => P;
  #last: Remembered<P> | null = null;

  constructor(
    make: (name: string, member: unknown) => P,
    order: (names: string[]) => string[] = (names) => names,
  ) {
    this.#make = make;
    this.#order = order;
  }

  of(value: Readonly<Record<string, unknown>>): Pieces<P> {
    const last = this.#last;
    const names = last === null ? null : changedMembers(last.value, value);
    const known = last !== null && names !== null &&
      names.every((name) => last.places.has(name) && value[name] !== undefined);
    if (!known) return this.#all(value);
    const changed = names.map((name) => last.places.get(name)!).sort((a, b) => a - b);
    const pieces = last.pieces.slice();
    for (const name of names) pieces[last.places.get(name)!] = this.#make(name, value[name]);
    this.#last = { ...last, value, pieces };
    return { pieces, before: last.pieces, changed };
  }

  #all(value: Readonly<Record<string, unknown>>): Pieces<P> {
    const names = this.#order(Object.keys(value).filter((name) => value[name] !== undefined));
    const pieces = names.map((name) => this.#make(name, value[name]));
    if (names.length >= MIN_MEMBERS) {
      const places = new Map(names.map((name, place) => [name, place]));
      this.#last = { value, places, pieces };
    }
    return { pieces, before: null, changed: [] };
  }
}
