import type { CacheEntry, CacheQuestion } from "./cache_entry.ts";
import { AnswerSlab, fitsSlot, SLOT } from "./cache_slab.ts";
import { lower } from "../codec/name.ts";
import type { NameKey } from "../codec/name_key.ts";
import { copyReply, type Reply } from "../codec/response_parser.ts";
import { HEADER } from "../codec/constants.ts";

/** Seconds for which an answer past its time is kept for the day that no resolver answers (RFC 8767 5). */
const STALE = 86_400;

/** An answer is asked for anew in the last tenth of its time, unless that time is short (seconds). */
const RENEWED_PART = 0.1, RENEWED_FROM = 10;

/** An answer as it came. */
export interface HeardAnswer {
  readonly reply: Reply;
  readonly by: string;
  readonly rebinds: string | null;
  /** Milliseconds of the clock. */
  readonly now: number;
}

/** How much is remembered. */
export interface CacheLimits {
  readonly entries: number;
  readonly bytes: number;
}

/**
 * Answers by question. Small ones, which nearly all are, lie in a slab; what is larger, or leads home
 * from outside, is an object of its own. Of those half of what is allowed may be new; when that is full,
 * it becomes the old half and the old one, with all that was not asked for meanwhile, is forgotten.
 */
export class AnswerCache {
  readonly #keys: NameKey;
  readonly #limits: CacheLimits;
  readonly #slab: AnswerSlab | null;
  #young = new Map<number, CacheEntry>();
  #old = new Map<number, CacheEntry>();
  #youngBytes = 0;
  #oldBytes = 0;

  constructor(keys: NameKey, { entries, bytes }: CacheLimits) {
    this.#keys = keys;
    const slots = slotsOf(entries, bytes);
    this.#slab = slots === 0 ? null : new AnswerSlab(slots);
    this.#limits = { entries: entries - slots, bytes: bytes - slots * SLOT };
  }

  get entries(): number {
    return this.#young.size + this.#old.size + (this.#slab?.count ?? 0);
  }

  get bytes(): number {
    return this.#youngBytes + this.#oldBytes + (this.#slab?.bytes ?? 0);
  }

  /** The key of a question. `of`: the {@link NameKey} of its name, where that is known. */
  keyOf(
    { name, nameLength, type, variant }: CacheQuestion,
    of: number = this.#keys.of(name, nameLength),
  ): number {
    return this.#keys.with(of, Math.imul(type, 0x9e3779b1) ^ variant);
  }

  /**
   * The answer to a question, also one past its time; null for none. `key` is {@link keyOf} of it. It
   * holds until the next call; {@link keep} copies it.
   */
  find(key: number, question: CacheQuestion): CacheEntry | null {
    const small = this.#slab?.find(key, question);
    if (small) return small;
    let entry = this.#young.get(key);
    if (entry === undefined) {
      entry = this.#old.get(key);
      if (entry === undefined || !isOf(entry, question)) return null;
      this.#old.delete(key);
      this.#oldBytes -= entry.reply.size;
      this.#put(key, entry);
      return entry;
    }
    return isOf(entry, question) ? entry : null;
  }

  /** Remembers an answer. */
  put(key: number, question: CacheQuestion, answer: HeardAnswer): CacheEntry {
    const entry = this.make(question, answer);
    this.#forget(key);
    if (entry.rebinds === null && fitsSlot(entry.reply) && this.#slab?.put(key, entry)) {
      return entry;
    }
    this.#slab?.delete(key);
    this.#put(key, entry);
    return entry;
  }

  /** What was found, as an entry that holds for good; what is remembered stays where it is. */
  keep(found: CacheEntry): CacheEntry {
    if (this.#slab === null || !this.#slab.shows(found)) return found;
    const { reply, nameLength, type, variant, rebinds, by, heard, expires } = found;
    return { reply: copyReply(reply), nameLength, type, variant, rebinds, by, heard, expires };
  }

  /** An answer as it would be remembered. Its question is written in lower case, as all are kept. */
  make(question: CacheQuestion, { reply, by, rebinds, now }: HeardAnswer): CacheEntry {
    for (let i = HEADER; i < HEADER + question.nameLength; i++) {
      reply.bytes[i] = lower(reply.bytes[i]!);
    }
    return {
      reply,
      nameLength: question.nameLength,
      type: question.type,
      variant: question.variant,
      rebinds,
      by,
      heard: now,
      expires: now + reply.ttl * 1000,
    };
  }

  clear(): void {
    this.#slab?.clear();
    this.#young.clear();
    this.#old.clear();
    this.#youngBytes = this.#oldBytes = 0;
  }

  #forget(key: number): void {
    const young = this.#young.get(key);
    if (young !== undefined) {
      this.#young.delete(key);
      this.#youngBytes -= young.reply.size;
    }
    const old = this.#old.get(key);
    if (old !== undefined) {
      this.#old.delete(key);
      this.#oldBytes -= old.reply.size;
    }
  }

  #put(key: number, entry: CacheEntry): void {
    this.#young.set(key, entry);
    this.#youngBytes += entry.reply.size;
    const { entries, bytes } = this.#limits;
    if (this.#young.size <= entries / 2 && this.#youngBytes <= bytes / 2) return;
    this.#old = this.#young;
    this.#oldBytes = this.#youngBytes;
    this.#young = new Map();
    this.#youngBytes = 0;
  }
}

/** Slots of the slab: a power of two, within half of the bytes; 0 where fewer than four fit. */
function slotsOf(entries: number, bytes: number): number {
  const most = Math.min(entries, bytes / 2 / SLOT);
  return most < 4 ? 0 : 2 ** Math.floor(Math.log2(most));
}

/** From when on an answer is asked for anew, in milliseconds of the clock; when it ends, for a short one. */
export function renewedFrom({ reply: { ttl }, expires }: CacheEntry): number {
  return ttl < RENEWED_FROM ? expires : expires - ttl * 1000 * RENEWED_PART;
}

/** True for an answer that may still be told when no resolver answers. */
export function isUsableStale(entry: CacheEntry, now: number): boolean {
  return now < entry.expires + STALE * 1000;
}

function isOf(entry: CacheEntry, question: CacheQuestion): boolean {
  const { nameLength } = entry;
  if (
    nameLength !== question.nameLength || entry.type !== question.type ||
    entry.variant !== question.variant
  ) return false;
  const { bytes } = entry.reply;
  const { name } = question;
  for (let i = 0; i < nameLength; i++) if (bytes[HEADER + i] !== name[i]) return false;
  return true;
}
