import type { CacheEntry, CacheQuestion } from "./cache_entry.ts";
import { addressTexts, type Reply } from "../codec/response_parser.ts";
import { HEADER } from "../codec/constants.ts";

/** Bytes of a slot: an answer, and the lists of what stands where in it. */
export const SLOT = 512;
/** Slots in which an answer may lie. */
const WAYS = 4;
/** Records of an answer, names that it leads over and numbers of its addresses, each at most. */
const MOST_RECORDS = 32, MOST_ALIASES = 16, MOST_PLACES = 64;
/** Resolvers that gave answers, at most. */
const MOST_GIVERS = 4096;

const NONE: readonly number[] = [];

/** Places of what is known of a slot's answer, in its eight words. */
const TYPE = 0, VARIANT = 1, TTL = 2, TOUCHED = 3, SIZES = 4, LISTS = 5, RECORDS = 6, MARKS = 7;
const WORDS = 8;

/** True for an answer that a slot holds. */
export function fitsSlot({ size, code, ttlCount, aliases, places }: Reply): boolean {
  return code <= 15 && ttlCount <= MOST_RECORDS && aliases.length <= MOST_ALIASES &&
    places.length <= MOST_PLACES &&
    size + 1 + 2 * (ttlCount + aliases.length + places.length) <= SLOT;
}

/**
 * Answers in one piece of memory, which no collector of garbage walks through: each lies in one of
 * four slots that its key allows, and takes the one that was not looked at for longest. What is found
 * is shown by one view, which holds until the next call.
 */
export class AnswerSlab {
  readonly #sets: number;
  /** The first slot is the view's. */
  readonly #bytes: Uint8Array<ArrayBuffer>;
  readonly #lists: Uint16Array<ArrayBuffer>;
  readonly #keys: Float64Array<ArrayBuffer>;
  readonly #heard: Float64Array<ArrayBuffer>;
  readonly #expires: Float64Array<ArrayBuffer>;
  readonly #words: Uint32Array<ArrayBuffer>;
  readonly #shown: ShownEntry;
  readonly #givers = new Map<string, number>();
  #names: string[] = [];
  #tick = 0;
  #count = 0;
  #used = 0;

  /** `slots`: a power of two, four at least. */
  constructor(slots: number) {
    this.#sets = slots / WAYS;
    const memory = new ArrayBuffer((slots + 1) * SLOT);
    this.#bytes = new Uint8Array(memory);
    this.#lists = new Uint16Array(memory);
    this.#keys = new Float64Array(slots).fill(-1);
    this.#heard = new Float64Array(slots);
    this.#expires = new Float64Array(slots);
    this.#words = new Uint32Array(slots * WORDS);
    this.#shown = new ShownEntry(new ShownReply(new Uint8Array(memory, 0, SLOT), this.#lists));
  }

  /** Answers that it holds. */
  get count(): number {
    return this.#count;
  }

  /** Bytes of those answers. */
  get bytes(): number {
    return this.#used;
  }

  /** The answer to a question, to be used before the next call; null for none. */
  find(key: number, { name, nameLength, type, variant }: CacheQuestion): CacheEntry | null {
    const slot = this.#slotOf(key);
    if (slot < 0) return null;
    const words = this.#words, at = slot * WORDS;
    if (words[at + TYPE] !== type || words[at + VARIANT] !== variant) return null;
    if (words[at + SIZES]! >>> 16 !== nameLength) return null;
    const bytes = this.#bytes, asked = (slot + 1) * SLOT + HEADER;
    for (let i = 0; i < nameLength; i++) if (bytes[asked + i] !== name[i]) return null;
    words[at + TOUCHED] = ++this.#tick;
    return this.#show(slot);
  }

  /** True for the view itself, which is another answer soon. */
  shows(entry: CacheEntry): boolean {
    return entry === this.#shown;
  }

  /** Takes an answer that {@link fitsSlot}; what lay under the key is gone. False where it cannot. */
  put(key: number, { reply, nameLength, type, variant, by, heard, expires }: CacheEntry): boolean {
    const giver = this.#giver(by);
    if (giver < 0) return false;
    const known = this.#slotOf(key);
    const slot = known >= 0 ? known : this.#room(key);
    this.#empty(slot);
    const { bytes, size, ttls, ttlCount, aliases, places } = reply;
    const start = (slot + 1) * SLOT;
    for (let i = 0; i < size; i++) this.#bytes[start + i] = bytes[i]!;
    let list = listsOf(slot, size);
    for (let i = 0; i < ttlCount; i++) this.#lists[list++] = ttls[i]!;
    for (let i = 0; i < aliases.length; i++) this.#lists[list++] = aliases[i]!;
    for (let i = 0; i < places.length; i++) this.#lists[list++] = places[i]!;
    this.#keys[slot] = key;
    this.#heard[slot] = heard;
    this.#expires[slot] = expires;
    const words = this.#words, at = slot * WORDS;
    words[at + TYPE] = type;
    words[at + VARIANT] = variant;
    words[at + TTL] = reply.ttl;
    words[at + TOUCHED] = ++this.#tick;
    words[at + SIZES] = size | nameLength << 16;
    words[at + LISTS] = ttlCount | aliases.length << 8 | places.length << 16;
    words[at + RECORDS] = reply.answers | reply.authority << 8 | reply.additional << 16 |
      (reply.authentic ? 1 : 0) << 24;
    words[at + MARKS] = reply.answersEnd | reply.code << 12 | giver << 16;
    this.#count++;
    this.#used += size;
    return true;
  }

  /** Forgets what lies under a key. */
  delete(key: number): void {
    const slot = this.#slotOf(key);
    if (slot >= 0) this.#empty(slot);
  }

  clear(): void {
    this.#keys.fill(-1);
    this.#count = this.#used = 0;
    this.#givers.clear();
    this.#names = [];
  }

  #firstOf(key: number): number {
    return ((key / 0x200000 >>> 0) % this.#sets) * WAYS;
  }

  #slotOf(key: number): number {
    const keys = this.#keys, first = this.#firstOf(key);
    for (let slot = first; slot < first + WAYS; slot++) if (keys[slot] === key) return slot;
    return -1;
  }

  #room(key: number): number {
    const first = this.#firstOf(key);
    let oldest = first, age = -1;
    for (let slot = first; slot < first + WAYS; slot++) {
      if (this.#keys[slot] === -1) return slot;
      // Without sign, so that the count may begin anew.
      const its = (this.#tick - this.#words[slot * WORDS + TOUCHED]!) >>> 0;
      if (its > age) [oldest, age] = [slot, its];
    }
    return oldest;
  }

  #empty(slot: number): void {
    if (this.#keys[slot] === -1) return;
    this.#keys[slot] = -1;
    this.#count--;
    this.#used -= this.#words[slot * WORDS + SIZES]! & 0xffff;
  }

  #giver(by: string): number {
    let number = this.#givers.get(by);
    if (number === undefined) {
      if (this.#names.length === MOST_GIVERS) return -1;
      number = this.#names.push(by) - 1;
      this.#givers.set(by, number);
    }
    return number;
  }

  #show(slot: number): CacheEntry {
    const shown = this.#shown, { reply } = shown;
    const words = this.#words, at = slot * WORDS;
    const size = words[at + SIZES]! & 0xffff;
    const start = (slot + 1) * SLOT;
    this.#bytes.copyWithin(0, start, start + size);
    const lists = words[at + LISTS]!, records = words[at + RECORDS]!, marks = words[at + MARKS]!;
    const count = lists & 0xff;
    let list = listsOf(slot, size);
    reply.ttlCount = count;
    for (let i = 0; i < count; i++) reply.ttls[i] = this.#lists[list++]!;
    const aliases = lists >>> 8 & 0xff;
    reply.aliases = listed(this.#lists, list, aliases);
    list += aliases;
    reply.placesFrom = list;
    reply.placesCount = lists >>> 16;
    reply.size = size;
    reply.answers = records & 0xff;
    reply.authority = records >>> 8 & 0xff;
    reply.additional = records >>> 16 & 0xff;
    reply.authentic = records >>> 24 === 1;
    reply.answersEnd = marks & 0xfff;
    reply.code = marks >>> 12 & 0xf;
    reply.ttl = words[at + TTL]!;
    shown.by = this.#names[marks >>> 16]!;
    shown.nameLength = words[at + SIZES]! >>> 16;
    shown.type = words[at + TYPE]!;
    shown.variant = words[at + VARIANT]!;
    shown.heard = this.#heard[slot]!;
    shown.expires = this.#expires[slot]!;
    return shown;
  }
}

/** The view of a slot's answer. */
class ShownReply implements Reply {
  readonly bytes: Uint8Array;
  readonly ttls: number[] = new Array(MOST_RECORDS).fill(0);
  readonly truncated = false;
  readonly #lists: Uint16Array;
  size = 0;
  ttlCount = 0;
  answersEnd = 0;
  answers = 0;
  authority = 0;
  additional = 0;
  code = 0;
  authentic = false;
  ttl = 0;
  aliases: readonly number[] = NONE;
  /** Where the list of its addresses stands, and how long it is. */
  placesFrom = 0;
  placesCount = 0;

  constructor(bytes: Uint8Array, lists: Uint16Array) {
    this.bytes = bytes;
    this.#lists = lists;
  }

  get places(): readonly number[] {
    return listed(this.#lists, this.placesFrom, this.placesCount);
  }

  get addresses(): readonly string[] {
    return addressTexts(this);
  }
}

class ShownEntry implements CacheEntry {
  readonly reply: ShownReply;
  readonly rebinds = null;
  nameLength = 0;
  type = 0;
  variant = 0;
  by = "";
  heard = 0;
  expires = 0;

  constructor(reply: ShownReply) {
    this.reply = reply;
  }
}

/** Where the lists of a slot begin, in 16-bit numbers. */
function listsOf(slot: number, size: number): number {
  return ((slot + 1) * SLOT + size + 1) >> 1;
}

function listed(lists: Uint16Array, at: number, count: number): readonly number[] {
  return count === 0 ? NONE : Array.from(lists.subarray(at, at + count));
}
