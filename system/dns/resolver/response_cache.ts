import type { CompiledFilter, Verdict } from "../block/verdict/verdict.ts";
import type { DnsClient } from "./client.ts";
import type { ResponseDetails } from "./query_record.ts";
import type { ArrivalTime, Sender } from "../../core/net/transport.ts";
import { HEADER_BYTES, putUint32, uint32 } from "../codec/constants.ts";

/** A power of two; a query may use one of two slots. */
const SLOTS = 8192;
/** Bytes of a query and of a response. */
const MAX_QUERY_BYTES = 128,
  MAX_RESPONSE_BYTES = 384,
  SLOT_BYTES = MAX_QUERY_BYTES + MAX_RESPONSE_BYTES;
/** Bytes of a message's id, the only ones in which repeated queries differ. */
const ID_BYTES = 2;
/** A response is computed again after this time, so that names in use stay in the DNS cache. */
const MAX_AGE_MS = 10_000;

/** A response without its bytes. */
export interface ResponseFacts {
  readonly client: DnsClient | undefined;
  readonly verdict: Verdict;
  readonly details: ResponseDetails;
  /** The counter of such responses. */
  readonly counter: "local" | "specialUse" | "blocked" | "cacheHits";
  /** When it arrived, and until when it is valid: milliseconds of the clock. */
  readonly receivedAt: number;
  readonly until: number;
  /** Offsets of the TTLs that count down. */
  readonly ttls: readonly number[];
}

/** A response that can be sent again. */
export interface CachedResponse
  extends Pick<ResponseFacts, "client" | "verdict" | "details" | "counter"> {
  /** The query name in wire format and lower case, to its final zero. */
  readonly name: Uint8Array;
  /** Writes it with the id of the query and current TTLs; returns its length. */
  write(query: Uint8Array, out: Uint8Array, now: number): number;
}

/** A query and its response. */
export interface WrittenResponse {
  readonly query: Uint8Array;
  /** The query name in lower case. */
  readonly name: Uint8Array;
  readonly nameLength: number;
  /** Its first `length` bytes are the response. */
  readonly out: Uint8Array;
  readonly length: number;
  readonly from: Sender;
  /** Milliseconds of the clock. */
  readonly now: number;
}

/**
 * Whole responses to queries that are repeated byte for byte from the same address. They are valid until
 * rules or devices change, and equal what would be computed again. A query is cached from its second time
 * on, so that single ones use no slot.
 */
export class ResponseCache {
  readonly #memory = new ArrayBuffer(SLOTS * SLOT_BYTES);
  readonly #words = new Uint32Array(this.#memory);
  readonly #queryWords = new Words();
  readonly #responseWords = new Words();
  readonly #slots: (Slot | undefined)[] = new Array(SLOTS).fill(undefined);
  readonly #seen = new Uint32Array(SLOTS);
  #rules: CompiledFilter | null = null;
  #generation = 0;
  /** Of the query that was looked up last; 0 for one that cannot be cached. */
  #hash = 0;

  /** Drops all. */
  clear(): void {
    this.#generation++;
  }

  /**
   * The response to a query; null for none. `rules`: the active ones; with others all is dropped, and
   * nothing is found once a rule has expired.
   */
  find(
    query: Uint8Array,
    from: Sender,
    { unix, monotonic: now }: ArrivalTime,
    rules: CompiledFilter,
  ): CachedResponse | null {
    if (rules !== this.#rules) {
      this.#rules = rules;
      this.clear();
    }
    this.#hash = 0;
    if (query.length > MAX_QUERY_BYTES || (query.byteOffset & 3) !== 0) return null;
    if (rules.nextExpiry !== null && unix >= rules.nextExpiry) return null;
    const words = this.#queryWords.of(query), at = query.byteOffset >> 2;
    const hash = this.#hash = hashOf(query, words, at);
    const first = hash & SLOTS - 2;
    for (let i = first; i < first + 2; i++) {
      const slot = this.#slots[i];
      if (slot === undefined || slot.hash !== hash) continue;
      if (slot.generation !== this.#generation || now >= slot.until) continue;
      if (slot.isFrom(from) && slot.isOf(query, words, at)) return slot;
    }
    return null;
  }

  /** True when the query that was looked up last came before; if not, it counts as seen now. */
  get isRepeated(): boolean {
    return this.#hash !== 0 && this.#isSeen(this.#hash);
  }

  /** Stores the response to the query that was looked up last. */
  store(
    { query, name, nameLength, out, length, from, now }: WrittenResponse,
    facts: ResponseFacts,
  ): void {
    const hash = this.#hash;
    if (hash === 0 || length > MAX_RESPONSE_BYTES || now >= facts.until) return;
    // A response keeps the letter case of its query, but is logged in lower case.
    for (let i = 0; i < nameLength; i++) if (query[HEADER_BYTES + i] !== name[i]) return;
    const at = this.#indexFor(hash, now);
    const slot = this.#slots[at] ??= new Slot(this.#words, at * SLOT_BYTES, {
      ...facts,
      responseWords: this.#responseWords,
    });
    slot.generation = this.#generation;
    slot.hash = hash;
    slot.take(query, from, facts);
    slot.takeResponse(out, length, Math.floor((now - facts.receivedAt) / 1000));
    slot.until = Math.min(facts.until, now + MAX_AGE_MS);
  }

  /** True for a query that was seen before; another is marked as seen, beside the last. */
  #isSeen(hash: number): boolean {
    const seen = this.#seen, first = hash & SLOTS - 2;
    if (seen[first] === hash || seen[first + 1] === hash) return true;
    seen[first + 1] = seen[first]!;
    seen[first] = hash;
    return false;
  }

  /** The slot of the same query, else a free one, else the one that expires first. */
  #indexFor(hash: number, now: number): number {
    const first = hash & SLOTS - 2;
    const one = this.#slots[first], two = this.#slots[first + 1];
    if (one === undefined || one.hash === hash) return first;
    if (two === undefined || two.hash === hash) return first + 1;
    const isFree = one.generation !== this.#generation || now >= one.until;
    return isFree || one.until <= two.until ? first : first + 1;
  }
}

class Slot implements CachedResponse {
  readonly name: Uint8Array<ArrayBuffer>;
  readonly #query: Uint8Array<ArrayBuffer>;
  readonly #response: Uint8Array<ArrayBuffer>;
  /** The memory of all slots, and where in it the query begins. */
  readonly #words: Uint32Array<ArrayBuffer>;
  readonly #first: number;
  readonly #responseWords: Words;
  hash = 0;
  generation = -1;
  until = -Infinity;
  client: DnsClient | undefined;
  verdict: Verdict;
  details: ResponseDetails;
  counter: ResponseFacts["counter"];
  #queryLength = 0;
  #responseLength = 0;
  #address = "";
  #local = "";
  #receivedAt = -Infinity;
  /** Seconds by which its TTLs are reduced. */
  #age = 0;
  #ttls: readonly number[] = [];

  constructor(
    words: Uint32Array<ArrayBuffer>,
    start: number,
    { client, verdict, details, counter, responseWords }: ResponseFacts & {
      readonly responseWords: Words;
    },
  ) {
    this.#words = words;
    this.#first = start >> 2;
    this.#responseWords = responseWords;
    this.#query = new Uint8Array(words.buffer, start, MAX_QUERY_BYTES);
    this.#response = new Uint8Array(words.buffer, start + MAX_QUERY_BYTES, MAX_RESPONSE_BYTES);
    this.name = this.#query.subarray(HEADER_BYTES);
    this.client = client;
    this.verdict = verdict;
    this.details = details;
    this.counter = counter;
  }

  isFrom({ address, local }: Sender): boolean {
    return address === this.#address && local === this.#local;
  }

  /** `words`, `at`: the query in words. */
  isOf(query: Uint8Array, words: Uint32Array, at: number): boolean {
    const { length } = query;
    if (length !== this.#queryLength) return false;
    const own = this.#words, first = this.#first, cached = this.#query, whole = length >> 2;
    for (let i = 1; i < whole; i++) if (own[first + i] !== words[at + i]) return false;
    for (let i = whole << 2; i < length; i++) if (cached[i] !== query[i]) return false;
    return cached[ID_BYTES] === query[ID_BYTES] &&
      cached[ID_BYTES + 1] === query[ID_BYTES + 1];
  }

  take(query: Uint8Array, from: Sender, facts: ResponseFacts): void {
    for (let i = 0; i < query.length; i++) this.#query[i] = query[i]!;
    this.#queryLength = query.length;
    this.#address = from.address;
    this.#local = from.local;
    this.client = facts.client;
    this.verdict = facts.verdict;
    this.details = facts.details;
    this.counter = facts.counter;
    this.#receivedAt = facts.receivedAt;
    this.#ttls = facts.ttls;
  }

  takeResponse(bytes: Uint8Array, length: number, age: number): void {
    for (let i = 0; i < length; i++) this.#response[i] = bytes[i]!;
    this.#responseLength = length;
    this.#age = age;
  }

  write(query: Uint8Array, out: Uint8Array, now: number): number {
    if (this.#ttls.length > 0) this.#setAge(Math.floor((now - this.#receivedAt) / 1000));
    const length = this.#responseLength, response = this.#response;
    if ((out.byteOffset & 3) === 0) {
      const own = this.#words, from = this.#first + (MAX_QUERY_BYTES >> 2), whole = length >> 2;
      const words = this.#responseWords.of(out), to = out.byteOffset >> 2;
      for (let i = 0; i < whole; i++) words[to + i] = own[from + i]!;
      for (let i = whole << 2; i < length; i++) out[i] = response[i]!;
    } else for (let i = 0; i < length; i++) out[i] = response[i]!;
    out[0] = query[0]!;
    out[1] = query[1]!;
    return length;
  }

  /** Reduces its TTLs to an age in seconds. */
  #setAge(age: number): void {
    const more = age - this.#age;
    if (more === 0) return;
    this.#age = age;
    for (const at of this.#ttls) {
      putUint32(this.#response, at, Math.max(0, uint32(this.#response, at) - more));
    }
  }
}

/** The memory of bytes as 32-bit words, made once for each buffer. */
class Words {
  #buffer: ArrayBufferLike | null = null;
  #words: Uint32Array = new Uint32Array(0);

  of({ buffer }: Uint8Array): Uint32Array {
    if (buffer !== this.#buffer) {
      this.#buffer = buffer;
      this.#words = new Uint32Array(buffer, 0, buffer.byteLength >> 2);
    }
    return this.#words;
  }
}

/** A hash of a query's bytes but its id, never 0. Of two that collide the later replaces the first. */
function hashOf(query: Uint8Array, words: Uint32Array, at: number): number {
  const { length } = query, whole = length >> 2;
  let hash = length ^ (query[ID_BYTES] ?? 0) << 8 ^ (query[ID_BYTES + 1] ?? 0) << 16;
  for (let i = 1; i < whole; i++) {
    hash = Math.imul(hash ^ words[at + i]!, 0x9e3779b1);
    hash ^= hash >>> 15;
  }
  for (let i = whole << 2; i < length; i++) hash = Math.imul(hash ^ query[i]!, 0x9e3779b1) ^ hash;
  hash = Math.imul(hash ^ hash >>> 16, 0x85ebca6b);
  return (hash ^ hash >>> 13) >>> 0 || 1;
}
