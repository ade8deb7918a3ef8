import type { CacheEntry, CacheQuery } from "./cache_entry.ts";
import { addressTexts, type ParsedResponse } from "../codec/response_parser.ts";
import { HEADER_BYTES } from "../codec/constants.ts";

/** Bytes of a slot: a response, and lists of offsets in it. */
export const SLOT_BYTES = 512;
/** Slots in which an entry may lie. */
const SLOTS_PER_SET = 4;
/** Records, aliases and numbers of address ranges of a response. */
const MAX_RECORDS = 32, MAX_ALIASES = 16, MAX_ADDRESS_NUMBERS = 64;
/** Upstream resolvers whose responses are in it. */
const MAX_UPSTREAMS = 4096;

const NONE: readonly number[] = [];

/** Indexes of a slot's eight words. */
const TYPE = 0, VARIANT = 1, TTL = 2, TOUCHED = 3, SIZES = 4, LISTS = 5, RECORDS = 6, TAIL = 7;
const WORDS = 8;

/** True for a response that fits a slot. */
export function fitsSlot(
  { size, code, ttlCount, aliases, addressRanges }: ParsedResponse,
): boolean {
  return code <= 15 && ttlCount <= MAX_RECORDS && aliases.length <= MAX_ALIASES &&
    addressRanges.length <= MAX_ADDRESS_NUMBERS &&
    size + 1 + 2 * (ttlCount + aliases.length + addressRanges.length) <= SLOT_BYTES;
}

/**
 * Cache entries in one block of memory, which the garbage collector does not walk: each lies in one of
 * the four slots of its key's set and takes the least recently used one. What is found is lent by one
 * view, until the next call.
 */
export class CacheSlab {
  readonly #sets: number;
  /** The first slot is the view's. */
  readonly #bytes: Uint8Array<ArrayBuffer>;
  readonly #lists: Uint16Array<ArrayBuffer>;
  readonly #keys: Float64Array<ArrayBuffer>;
  readonly #receivedAt: Float64Array<ArrayBuffer>;
  readonly #expiresAt: Float64Array<ArrayBuffer>;
  readonly #words: Uint32Array<ArrayBuffer>;
  readonly #view: EntryView;
  readonly #upstreamNumbers = new Map<string, number>();
  #upstreams: string[] = [];
  #tick = 0;
  #count = 0;
  #used = 0;

  /** `slots`: a power of two, four at least. */
  constructor(slots: number) {
    this.#sets = slots / SLOTS_PER_SET;
    const memory = new ArrayBuffer((slots + 1) * SLOT_BYTES);
    this.#bytes = new Uint8Array(memory);
    this.#lists = new Uint16Array(memory);
    this.#keys = new Float64Array(slots).fill(-1);
    this.#receivedAt = new Float64Array(slots);
    this.#expiresAt = new Float64Array(slots);
    this.#words = new Uint32Array(slots * WORDS);
    this.#view = new EntryView(
      new ResponseView(new Uint8Array(memory, 0, SLOT_BYTES), this.#lists),
    );
  }

  /** Entries that it holds. */
  get count(): number {
    return this.#count;
  }

  /** Bytes of their responses. */
  get bytes(): number {
    return this.#used;
  }

  /** The entry of a query, lent until the next call; null for none. */
  find(key: number, { name, nameLength, type, variant }: CacheQuery): CacheEntry | null {
    const slot = this.#slotOf(key);
    if (slot < 0) return null;
    const words = this.#words, at = slot * WORDS;
    if (words[at + TYPE] !== type || words[at + VARIANT] !== variant) return null;
    if (words[at + SIZES]! >>> 16 !== nameLength) return null;
    const bytes = this.#bytes, start = (slot + 1) * SLOT_BYTES + HEADER_BYTES;
    for (let i = 0; i < nameLength; i++) if (bytes[start + i] !== name[i]) return null;
    words[at + TOUCHED] = ++this.#tick;
    return this.#viewOf(slot);
  }

  /** True for the view itself, whose content changes with the next call. */
  isView(entry: CacheEntry): boolean {
    return entry === this.#view;
  }

  /** Stores an entry whose response {@link fitsSlot} in place of that of its key. False where it cannot. */
  put(
    key: number,
    { response, nameLength, type, variant, upstream, receivedAt, expiresAt }: CacheEntry,
  ): boolean {
    const number = this.#numberOf(upstream);
    if (number < 0) return false;
    const known = this.#slotOf(key);
    const slot = known >= 0 ? known : this.#slotFor(key);
    this.#empty(slot);
    const { bytes, size, ttls, ttlCount, aliases, addressRanges } = response;
    const start = (slot + 1) * SLOT_BYTES;
    for (let i = 0; i < size; i++) this.#bytes[start + i] = bytes[i]!;
    let list = listsOf(slot, size);
    for (let i = 0; i < ttlCount; i++) this.#lists[list++] = ttls[i]!;
    for (let i = 0; i < aliases.length; i++) this.#lists[list++] = aliases[i]!;
    for (let i = 0; i < addressRanges.length; i++) this.#lists[list++] = addressRanges[i]!;
    this.#keys[slot] = key;
    this.#receivedAt[slot] = receivedAt;
    this.#expiresAt[slot] = expiresAt;
    const words = this.#words, at = slot * WORDS;
    words[at + TYPE] = type;
    words[at + VARIANT] = variant;
    words[at + TTL] = response.ttl;
    words[at + TOUCHED] = ++this.#tick;
    words[at + SIZES] = size | nameLength << 16;
    words[at + LISTS] = ttlCount | aliases.length << 8 | addressRanges.length << 16;
    words[at + RECORDS] = response.answers | response.authority << 8 | response.additional << 16 |
      (response.authentic ? 1 : 0) << 24;
    words[at + TAIL] = response.answersEnd | response.code << 12 | number << 16;
    this.#count++;
    this.#used += size;
    return true;
  }

  /** Drops the entry of a key. */
  delete(key: number): void {
    const slot = this.#slotOf(key);
    if (slot >= 0) this.#empty(slot);
  }

  clear(): void {
    this.#keys.fill(-1);
    this.#count = this.#used = 0;
    this.#upstreamNumbers.clear();
    this.#upstreams = [];
  }

  #firstOf(key: number): number {
    return ((key / 0x200000 >>> 0) % this.#sets) * SLOTS_PER_SET;
  }

  #slotOf(key: number): number {
    const keys = this.#keys, first = this.#firstOf(key);
    for (let slot = first; slot < first + SLOTS_PER_SET; slot++) {
      if (keys[slot] === key) return slot;
    }
    return -1;
  }

  #slotFor(key: number): number {
    const first = this.#firstOf(key);
    let oldest = first, age = -1;
    for (let slot = first; slot < first + SLOTS_PER_SET; slot++) {
      if (this.#keys[slot] === -1) return slot;
      // Unsigned, so that the tick may wrap.
      const slotAge = (this.#tick - this.#words[slot * WORDS + TOUCHED]!) >>> 0;
      if (slotAge > age) [oldest, age] = [slot, slotAge];
    }
    return oldest;
  }

  #empty(slot: number): void {
    if (this.#keys[slot] === -1) return;
    this.#keys[slot] = -1;
    this.#count--;
    this.#used -= this.#words[slot * WORDS + SIZES]! & 0xffff;
  }

  #numberOf(upstream: string): number {
    let number = this.#upstreamNumbers.get(upstream);
    if (number === undefined) {
      if (this.#upstreams.length === MAX_UPSTREAMS) return -1;
      number = this.#upstreams.push(upstream) - 1;
      this.#upstreamNumbers.set(upstream, number);
    }
    return number;
  }

  #viewOf(slot: number): CacheEntry {
    const view = this.#view, { response } = view;
    const words = this.#words, at = slot * WORDS;
    const size = words[at + SIZES]! & 0xffff;
    const start = (slot + 1) * SLOT_BYTES;
    this.#bytes.copyWithin(0, start, start + size);
    const lists = words[at + LISTS]!, records = words[at + RECORDS]!, tail = words[at + TAIL]!;
    const count = lists & 0xff;
    let list = listsOf(slot, size);
    response.ttlCount = count;
    for (let i = 0; i < count; i++) response.ttls[i] = this.#lists[list++]!;
    const aliases = lists >>> 8 & 0xff;
    response.aliases = listed(this.#lists, list, aliases);
    list += aliases;
    response.rangesStart = list;
    response.rangesCount = lists >>> 16;
    response.size = size;
    response.answers = records & 0xff;
    response.authority = records >>> 8 & 0xff;
    response.additional = records >>> 16 & 0xff;
    response.authentic = records >>> 24 === 1;
    response.answersEnd = tail & 0xfff;
    response.code = tail >>> 12 & 0xf;
    response.ttl = words[at + TTL]!;
    view.upstream = this.#upstreams[tail >>> 16]!;
    view.nameLength = words[at + SIZES]! >>> 16;
    view.type = words[at + TYPE]!;
    view.variant = words[at + VARIANT]!;
    view.receivedAt = this.#receivedAt[slot]!;
    view.expiresAt = this.#expiresAt[slot]!;
    return view;
  }
}

/** The view of a slot's response. */
class ResponseView implements ParsedResponse {
  readonly bytes: Uint8Array;
  readonly ttls: number[] = new Array(MAX_RECORDS).fill(0);
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
  /** Where the list of its address ranges begins, and its length. */
  rangesStart = 0;
  rangesCount = 0;

  constructor(bytes: Uint8Array, lists: Uint16Array) {
    this.bytes = bytes;
    this.#lists = lists;
  }

  get addressRanges(): readonly number[] {
    return listed(this.#lists, this.rangesStart, this.rangesCount);
  }

  get addresses(): readonly string[] {
    return addressTexts(this);
  }
}

class EntryView implements CacheEntry {
  readonly response: ResponseView;
  readonly privateAddress = null;
  nameLength = 0;
  type = 0;
  variant = 0;
  upstream = "";
  receivedAt = 0;
  expiresAt = 0;

  constructor(response: ResponseView) {
    this.response = response;
  }
}

/** Where the lists of a slot begin, in 16-bit numbers. */
function listsOf(slot: number, size: number): number {
  return ((slot + 1) * SLOT_BYTES + size + 1) >> 1;
}

function listed(lists: Uint16Array, at: number, count: number): readonly number[] {
  return count === 0 ? NONE : Array.from(lists.subarray(at, at + count));
}
