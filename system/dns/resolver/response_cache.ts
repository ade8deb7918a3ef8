import type { CompiledBlock, Verdict } from "../block/verdict/verdict.ts";
import type { DnsClient } from "./client.ts";
import type { Said } from "./query_record.ts";
import type { Moment, Sender } from "../../core/net/transport.ts";
import { HEADER, long, putLong } from "../codec/constants.ts";

/** Places for answers, a power of two; a question may have one of two. */
const PLACES = 8192;
/** Bytes of a question and of an answer, each at most. */
const QUESTION = 128, ANSWER = 384, ROOM = QUESTION + ANSWER;
/** Bytes of a message's id, in which two of one question differ. */
const ID = 2;
/** Milliseconds after which an answer is looked up anew, so that what is often asked for is remembered. */
const LONGEST = 10_000;

/** What is known of an answer beside its bytes. */
export interface ReadyFacts {
  readonly client: DnsClient | undefined;
  readonly verdict: Verdict;
  readonly said: Said;
  /** The counter of such answers. */
  readonly counts: "local" | "kept" | "blocked" | "remembered";
  /** When it was heard, and until when it holds: milliseconds of the clock. */
  readonly heard: number;
  readonly until: number;
  /** Where the TTLs stand that become less while time passes. */
  readonly ttls: readonly number[];
}

/** An answer that stands ready. */
export interface ReadyAnswer extends Pick<ReadyFacts, "client" | "verdict" | "said" | "counts"> {
  /** The name that is asked for, on the wire and in lower case, to its final zero. */
  readonly name: Uint8Array;
  /** Writes it, with the id of the question and TTLs of now; answers its length. */
  write(query: Uint8Array, out: Uint8Array, now: number): number;
}

/** A question and its answer, as they are kept. */
export interface Answered {
  readonly query: Uint8Array;
  /** The asked name in lower case. */
  readonly name: Uint8Array;
  readonly nameLength: number;
  /** Its first `length` bytes are the answer. */
  readonly out: Uint8Array;
  readonly length: number;
  readonly from: Sender;
  /** Milliseconds of the clock. */
  readonly now: number;
}

/**
 * Answers that stand ready for whoever asks the same again word for word, from the same address: they
 * hold while nothing else was decided, and are what would be worked out anew. A question that comes for
 * the first time is only noted, so that what is asked once takes no place.
 */
export class ReadyAnswers {
  readonly #memory = new ArrayBuffer(PLACES * ROOM);
  readonly #words = new Uint32Array(this.#memory);
  readonly #asked = new Words();
  readonly #told = new Words();
  readonly #places: (Place | undefined)[] = new Array(PLACES).fill(undefined);
  readonly #noted = new Uint32Array(PLACES);
  #decided: CompiledBlock | null = null;
  #generation = 0;
  /** Of the question that was looked for last; 0 for one that is not kept. */
  #hash = 0;

  /** Forgets all. */
  clear(): void {
    this.#generation++;
  }

  /**
   * The answer to a question; null for none. `decided`: what holds now; with another, all is forgotten,
   * and nothing stands ready when a part of it has ended.
   */
  find(
    query: Uint8Array,
    from: Sender,
    { at: unix, started: now }: Moment,
    decided: CompiledBlock,
  ): ReadyAnswer | null {
    if (decided !== this.#decided) {
      this.#decided = decided;
      this.clear();
    }
    this.#hash = 0;
    if (query.length > QUESTION || (query.byteOffset & 3) !== 0) return null;
    if (decided.nextExpiry !== null && unix >= decided.nextExpiry) return null;
    const words = this.#asked.of(query), at = query.byteOffset >> 2;
    const hash = this.#hash = hashOf(query, words, at);
    const first = hash & PLACES - 2;
    for (let i = first; i < first + 2; i++) {
      const place = this.#places[i];
      if (place === undefined || place.hash !== hash) continue;
      if (place.generation !== this.#generation || now >= place.until) continue;
      if (place.isFrom(from) && place.isOf(query, words, at)) return place;
    }
    return null;
  }

  /** True when the question that was looked for last came before; if not, it is noted now. */
  get isAskedAgain(): boolean {
    return this.#hash !== 0 && this.#isNoted(this.#hash);
  }

  /** Keeps the answer to the question that was looked for last. */
  keep({ query, name, nameLength, out, length, from, now }: Answered, facts: ReadyFacts): void {
    const hash = this.#hash;
    if (hash === 0 || length > ANSWER || now >= facts.until) return;
    // Letter case of one's own choice is answered in the same, but told of in lower case.
    for (let i = 0; i < nameLength; i++) if (query[HEADER + i] !== name[i]) return;
    const at = this.#roomFor(hash, now);
    const place = this.#places[at] ??= new Place(this.#words, at * ROOM, {
      ...facts,
      told: this.#told,
    });
    place.generation = this.#generation;
    place.hash = hash;
    place.take(query, from, facts);
    place.takeAnswer(out, length, Math.floor((now - facts.heard) / 1000));
    place.until = Math.min(facts.until, now + LONGEST);
  }

  /** True for a question that was noted before; another is noted now, beside the one before it. */
  #isNoted(hash: number): boolean {
    const noted = this.#noted, first = hash & PLACES - 2;
    if (noted[first] === hash || noted[first + 1] === hash) return true;
    noted[first + 1] = noted[first]!;
    noted[first] = hash;
    return false;
  }

  /** The place of the same question, else one that is free, else the one that holds shorter. */
  #roomFor(hash: number, now: number): number {
    const first = hash & PLACES - 2;
    const one = this.#places[first], two = this.#places[first + 1];
    if (one === undefined || one.hash === hash) return first;
    if (two === undefined || two.hash === hash) return first + 1;
    const isFree = one.generation !== this.#generation || now >= one.until;
    return isFree || one.until <= two.until ? first : first + 1;
  }
}

class Place implements ReadyAnswer {
  readonly name: Uint8Array<ArrayBuffer>;
  readonly #question: Uint8Array<ArrayBuffer>;
  readonly #answer: Uint8Array<ArrayBuffer>;
  /** The memory of all, and where in it the question begins. */
  readonly #words: Uint32Array<ArrayBuffer>;
  readonly #first: number;
  readonly #told: Words;
  hash = 0;
  generation = -1;
  until = -Infinity;
  client: DnsClient | undefined;
  verdict: Verdict;
  said: Said;
  counts: ReadyFacts["counts"];
  #questionLength = 0;
  #answerLength = 0;
  #address = "";
  #local = "";
  #heard = -Infinity;
  /** Seconds by which its TTLs are less already. */
  #age = 0;
  #ttls: readonly number[] = [];

  constructor(
    words: Uint32Array<ArrayBuffer>,
    start: number,
    { client, verdict, said, counts, told }: ReadyFacts & { readonly told: Words },
  ) {
    this.#words = words;
    this.#first = start >> 2;
    this.#told = told;
    this.#question = new Uint8Array(words.buffer, start, QUESTION);
    this.#answer = new Uint8Array(words.buffer, start + QUESTION, ANSWER);
    this.name = this.#question.subarray(HEADER);
    this.client = client;
    this.verdict = verdict;
    this.said = said;
    this.counts = counts;
  }

  isFrom({ address, local }: Sender): boolean {
    return address === this.#address && local === this.#local;
  }

  /** `words`, `at`: the question in words. */
  isOf(query: Uint8Array, words: Uint32Array, at: number): boolean {
    const { length } = query;
    if (length !== this.#questionLength) return false;
    const mine = this.#words, first = this.#first, question = this.#question, whole = length >> 2;
    for (let i = 1; i < whole; i++) if (mine[first + i] !== words[at + i]) return false;
    for (let i = whole << 2; i < length; i++) if (question[i] !== query[i]) return false;
    return question[ID] === query[ID] && question[ID + 1] === query[ID + 1];
  }

  take(query: Uint8Array, from: Sender, facts: ReadyFacts): void {
    for (let i = 0; i < query.length; i++) this.#question[i] = query[i]!;
    this.#questionLength = query.length;
    this.#address = from.address;
    this.#local = from.local;
    this.client = facts.client;
    this.verdict = facts.verdict;
    this.said = facts.said;
    this.counts = facts.counts;
    this.#heard = facts.heard;
    this.#ttls = facts.ttls;
  }

  takeAnswer(bytes: Uint8Array, length: number, age: number): void {
    for (let i = 0; i < length; i++) this.#answer[i] = bytes[i]!;
    this.#answerLength = length;
    this.#age = age;
  }

  write(query: Uint8Array, out: Uint8Array, now: number): number {
    if (this.#ttls.length > 0) this.#grow(Math.floor((now - this.#heard) / 1000));
    const length = this.#answerLength, answer = this.#answer;
    if ((out.byteOffset & 3) === 0) {
      const mine = this.#words, from = this.#first + (QUESTION >> 2), whole = length >> 2;
      const words = this.#told.of(out), to = out.byteOffset >> 2;
      for (let i = 0; i < whole; i++) words[to + i] = mine[from + i]!;
      for (let i = whole << 2; i < length; i++) out[i] = answer[i]!;
    } else for (let i = 0; i < length; i++) out[i] = answer[i]!;
    out[0] = query[0]!;
    out[1] = query[1]!;
    return length;
  }

  /** Has its TTLs be those of an age in seconds. */
  #grow(age: number): void {
    const more = age - this.#age;
    if (more === 0) return;
    this.#age = age;
    for (const at of this.#ttls) {
      putLong(this.#answer, at, Math.max(0, long(this.#answer, at) - more));
    }
  }
}

/** The memory that bytes lie in as words of four bytes, made once for what lies in one piece. */
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

/** A number of a question's bytes but its id, never 0. Where two meet, the later takes the place of the first. */
function hashOf(query: Uint8Array, words: Uint32Array, at: number): number {
  const { length } = query, whole = length >> 2;
  let hash = length ^ (query[ID] ?? 0) << 8 ^ (query[ID + 1] ?? 0) << 16;
  for (let i = 1; i < whole; i++) {
    hash = Math.imul(hash ^ words[at + i]!, 0x9e3779b1);
    hash ^= hash >>> 15;
  }
  for (let i = whole << 2; i < length; i++) hash = Math.imul(hash ^ query[i]!, 0x9e3779b1) ^ hash;
  hash = Math.imul(hash ^ hash >>> 16, 0x85ebca6b);
  return (hash ^ hash >>> 13) >>> 0 || 1;
}
