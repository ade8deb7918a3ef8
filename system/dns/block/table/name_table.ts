/** Words of a slot: the two halves of a name's hash, and the number of its set; 0 is an empty slot. */
const SLOT_WORDS = 3;

/** Maximum load factor; beyond it probe sequences grow long. */
const MAX_LOAD = 0.75;

/** A finished table, as sent between threads and stored on disk. */
export interface TableImage {
  /** Key of the hash; random for each table, so that no list can be crafted to collide. */
  readonly key: readonly [number, number];
  /** URIs of its lists; the marks of a set refer to their indexes. */
  readonly lists: readonly string[];
  /** Sets of marks by number, each sorted; the first is empty. */
  readonly sets: readonly (readonly number[])[];
  /** Number of names. */
  readonly count: number;
  /** Number of names that a list blocks; the others are exceptions, or between a block and one. */
  readonly blocked: number;
  readonly words: Uint32Array;
}

/**
 * What a list says of a name. `below`: the name is blocked, and one below it has an exception.
 * Important blocks hold against exceptions, but not against important ones.
 */
export const MARK = {
  block: 0,
  exception: 1,
  importantBlock: 2,
  importantException: 3,
  below: 4,
} as const;
export type MarkKind = (typeof MARK)[keyof typeof MARK];
const KINDS = 8;

/** The mark of a name of which list number `list` says this. */
export function markOf(list: number, kind: MarkKind): number {
  return KINDS * list + kind;
}

/** The list and the kind of a mark. */
export function readMark(mark: number): { readonly list: number; readonly kind: MarkKind } {
  return { list: Math.floor(mark / KINDS), kind: mark % KINDS as MarkKind };
}

function isBlock(mark: number): boolean {
  const { kind } = readMark(mark);
  return kind === MARK.block || kind === MARK.importantBlock;
}

/**
 * Finds the lists that contain a name by its hash: open addressing in one typed array, 16 bytes a name.
 * A look-up allocates nothing, and the array can be shared between threads.
 */
export class NameTable {
  readonly image: TableImage;
  readonly #words: Uint32Array;
  readonly #slots: number;

  constructor(image: TableImage) {
    this.image = image;
    this.#words = image.words;
    this.#slots = image.words.length / SLOT_WORDS;
  }

  /** Number of the set of a name with this hash; 0 for none. */
  find(a: number, b: number): number {
    const words = this.#words, slots = this.#slots;
    let slot = Math.floor(a * slots / 0x1_0000_0000);
    for (;;) {
      const at = SLOT_WORDS * slot;
      const set = words[at + 2]!;
      if (set === 0 || (words[at] === a && words[at + 1] === b)) return set;
      if (++slot === slots) slot = 0;
    }
  }
}

export const EMPTY_TABLE: NameTable = new NameTable({
  key: [0, 0],
  lists: [],
  sets: [[]],
  count: 0,
  blocked: 0,
  words: new Uint32Array(SLOT_WORDS),
});

/** Builds a table name by name. */
export class TableBuilder {
  readonly key: readonly [number, number];
  readonly #sets: number[][] = [[]];
  /** By set and mark: the set with that mark added. */
  readonly #extended = new Map<number, Map<number, number>>();
  readonly #byText = new Map<string, number>([["", 0]]);
  #words: Uint32Array;
  #count = 0;

  /** `expected`: estimated number of names. */
  constructor(key: readonly [number, number], expected = 0) {
    this.key = key;
    this.#words = new Uint32Array(SLOT_WORDS * slotsFor(Math.max(expected, 1024)));
  }

  get count(): number {
    return this.#count;
  }

  /** Adds a mark to a name; false when it had it already. */
  add(a: number, b: number, mark: number): boolean {
    const slots = this.#words.length / SLOT_WORDS;
    if (this.#count + 1 > slots * MAX_LOAD) {
      this.#words = rehash(this.#words, new Uint32Array(SLOT_WORDS * slotsFor(2 * this.#count)));
    }
    const at = slotOf(this.#words, a, b);
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

  /** True when a name has a mark. */
  has(a: number, b: number, mark: number): boolean {
    return this.#sets[this.#words[slotOf(this.#words, a, b) + 2]!]!.includes(mark);
  }

  /** The table in shared memory of minimal size. */
  finish(lists: readonly string[]): TableImage {
    const bytes = new SharedArrayBuffer(4 * SLOT_WORDS * slotsFor(this.#count));
    const words = rehash(this.#words, new Uint32Array(bytes));
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
    const blocks = this.#sets.map((marks) => marks.some(isBlock));
    let count = 0;
    for (let at = 2; at < words.length; at += SLOT_WORDS) if (blocks[words[at]!]) count++;
    return count;
  }

  #with(set: number, mark: number): number {
    const known = this.#extended.get(set)?.get(mark);
    if (known !== undefined) return known;
    const marks = this.#sets[set]!;
    const wider = marks.includes(mark) ? marks : [...marks, mark].sort((x, y) => x - y);
    const text = wider.join();
    let number = this.#byText.get(text);
    if (number === undefined) {
      number = this.#sets.push(wider) - 1;
      this.#byText.set(text, number);
    }
    const byMark = this.#extended.get(set) ?? new Map<number, number>();
    byMark.set(mark, number);
    this.#extended.set(set, byMark);
    return number;
  }
}

/** At least one slot stays empty, so that every search ends. */
function slotsFor(names: number): number {
  return Math.ceil(names / MAX_LOAD) + 1;
}

/** Offset of the slot of a hash, or of the empty slot that it would take. */
function slotOf(words: Uint32Array, a: number, b: number): number {
  const slots = words.length / SLOT_WORDS;
  let slot = Math.floor(a * slots / 0x1_0000_0000);
  for (;;) {
    const at = SLOT_WORDS * slot;
    if (words[at + 2] === 0 || (words[at] === a && words[at + 1] === b)) return at;
    if (++slot === slots) slot = 0;
  }
}

function rehash(from: Uint32Array, to: Uint32Array): Uint32Array {
  for (let at = 0; at < from.length; at += SLOT_WORDS) {
    if (from[at + 2] === 0) continue;
    const target = slotOf(to, from[at]!, from[at + 1]!);
    to[target] = from[at]!;
    to[target + 1] = from[at + 1]!;
    to[target + 2] = from[at + 2]!;
  }
  return to;
}
