/** Words of a slot: the two halves of a name's hash, and the number of its set; 0 marks an empty slot. */
const SLOT = 3;

/** Names for each slot at most; beyond it searches grow long. */
const LOAD = 0.75;

/** A finished table as it travels between threads and lies on disk. */
export interface TableImage {
  /** Key of the hash; another for each table, so that no list can be made to fit it. */
  readonly key: readonly [number, number];
  /** The lists that it was made of, by their URIs; a name's set holds places in here. */
  readonly lists: readonly string[];
  /** By number: the marks of the names that have this set, in order; the first is nobody's. */
  readonly sets: readonly (readonly number[])[];
  /** Names in it. */
  readonly count: number;
  /** Those of them that a list blocks; the others are exceptions alone. */
  readonly blocked: number;
  readonly words: Uint32Array;
}

/** The mark of a name that list number `list` blocks, or that it makes an exception of. */
export function markOf(list: number, exception: boolean): number {
  return 2 * list + (exception ? 1 : 0);
}

/**
 * Which lists hold a name, by its hash: open addressing over one typed array, 16 bytes a name. Reading
 * allocates nothing, and the array can be shared between threads.
 */
export class NameTable {
  readonly image: TableImage;
  readonly #words: Uint32Array;
  readonly #slots: number;

  constructor(image: TableImage) {
    this.image = image;
    this.#words = image.words;
    this.#slots = image.words.length / SLOT;
  }

  /** Number of the set of a name with this hash; 0 when no list holds it. */
  find(a: number, b: number): number {
    const words = this.#words, slots = this.#slots;
    let slot = Math.floor(a * slots / 0x1_0000_0000);
    for (;;) {
      const at = SLOT * slot;
      const set = words[at + 2]!;
      if (set === 0 || (words[at] === a && words[at + 1] === b)) return set;
      if (++slot === slots) slot = 0;
    }
  }
}

/** A table without names. */
export const EMPTY_TABLE: NameTable = new NameTable({
  key: [0, 0],
  lists: [],
  sets: [[]],
  count: 0,
  blocked: 0,
  words: new Uint32Array(SLOT),
});

/** Makes a table, name by name. */
export class TableBuilder {
  readonly key: readonly [number, number];
  readonly #sets: number[][] = [[]];
  /** By set and mark: the set that has the mark as well. */
  readonly #wider = new Map<number, Map<number, number>>();
  readonly #byText = new Map<string, number>([["", 0]]);
  #words: Uint32Array;
  #count = 0;

  /** `expected`: a guess at how many names come. */
  constructor(key: readonly [number, number], expected = 0) {
    this.key = key;
    this.#words = new Uint32Array(SLOT * slotsFor(Math.max(expected, 1024)));
  }

  get count(): number {
    return this.#count;
  }

  /** Adds a mark to a name. False when it was there. */
  add(a: number, b: number, mark: number): boolean {
    const slots = this.#words.length / SLOT;
    if (this.#count + 1 > slots * LOAD) {
      this.#words = moved(this.#words, new Uint32Array(SLOT * slotsFor(2 * this.#count)));
    }
    const at = place(this.#words, a, b);
    const before = this.#words[at + 2]!;
    const set = this.#with(before, mark);
    if (set === before) return false;
    if (before === 0) {
      this.#words[at] = a;
      this.#words[at + 1] = b;
      this.#count++;
    }
    this.#words[at + 2] = set;
    return true;
  }

  /** The table, in memory that threads can share and no larger than it needs. */
  finish(lists: readonly string[]): TableImage {
    const bytes = new SharedArrayBuffer(4 * SLOT * slotsFor(this.#count));
    const words = moved(this.#words, new Uint32Array(bytes));
    return {
      key: this.key,
      lists,
      sets: this.#sets,
      count: this.#count,
      blocked: this.#blocked(words),
      words,
    };
  }

  #blocked(words: Uint32Array): number {
    const blocks = this.#sets.map((marks) => marks.some((mark) => (mark & 1) === 0));
    let count = 0;
    for (let at = 2; at < words.length; at += SLOT) if (blocks[words[at]!]) count++;
    return count;
  }

  #with(set: number, mark: number): number {
    const known = this.#wider.get(set)?.get(mark);
    if (known !== undefined) return known;
    const marks = this.#sets[set]!;
    const wider = marks.includes(mark) ? marks : [...marks, mark].sort((x, y) => x - y);
    const text = wider.join();
    let number = this.#byText.get(text);
    if (number === undefined) {
      number = this.#sets.push(wider) - 1;
      this.#byText.set(text, number);
    }
    const ways = this.#wider.get(set) ?? new Map<number, number>();
    ways.set(mark, number);
    this.#wider.set(set, ways);
    return number;
  }
}

/** One slot stays empty in any case, so that every search ends. */
function slotsFor(names: number): number {
  return Math.ceil(names / LOAD) + 1;
}

/** Where a hash stands, or the empty slot that it would take. */
function place(words: Uint32Array, a: number, b: number): number {
  const slots = words.length / SLOT;
  let slot = Math.floor(a * slots / 0x1_0000_0000);
  for (;;) {
    const at = SLOT * slot;
    if (words[at + 2] === 0 || (words[at] === a && words[at + 1] === b)) return at;
    if (++slot === slots) slot = 0;
  }
}

function moved(from: Uint32Array, to: Uint32Array): Uint32Array {
  for (let at = 0; at < from.length; at += SLOT) {
    if (from[at + 2] === 0) continue;
    const target = place(to, from[at]!, from[at + 1]!);
    to[target] = from[at]!;
    to[target + 1] = from[at + 1]!;
    to[target + 2] = from[at + 2]!;
  }
  return to;
}
