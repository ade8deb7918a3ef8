import { lower } from "./name.ts";
import type { NameKey } from "./name_key.ts";
import type { Reply } from "./response.ts";
import { HEADER } from "./wire.ts";

/** Seconds for which an answer past its time is kept for the day that no resolver answers (RFC 8767 5). */
const STALE = 86_400;

/** An answer that is remembered. */
export interface CacheEntry {
  readonly reply: Reply;
  readonly nameLength: number;
  readonly type: number;
  readonly variant: number;
  /** The first of its addresses that is none of the Internet; null for none. */
  readonly rebinds: string | null;
  /** Address of the resolver that gave it. */
  readonly by: string;
  /** Milliseconds of the clock. */
  readonly heard: number;
  readonly expires: number;
  /** It is being asked for anew. */
  refreshing: boolean;
  /** When asking for it anew failed last; -Infinity never. */
  failed: number;
}

/** What is looked up: a name on the wire in lower case, and what sets apart answers of one name. */
export interface CacheQuestion {
  readonly name: Uint8Array;
  readonly nameLength: number;
  readonly type: number;
  /** Group of resolvers, DO and CD as one number. */
  readonly variant: number;
}

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
 * Answers by question. Half of what is allowed may be new; when that is full, it becomes the old half
 * and the old one, with all that was not asked for meanwhile, is forgotten.
 */
export class AnswerCache {
  readonly #keys: NameKey;
  readonly #limits: CacheLimits;
  #young = new Map<number, CacheEntry>();
  #old = new Map<number, CacheEntry>();
  #youngBytes = 0;
  #oldBytes = 0;

  constructor(keys: NameKey, limits: CacheLimits) {
    this.#keys = keys;
    this.#limits = limits;
  }

  get entries(): number {
    return this.#young.size + this.#old.size;
  }

  get bytes(): number {
    return this.#youngBytes + this.#oldBytes;
  }

  /** The key of a question. */
  keyOf({ name, nameLength, type, variant }: CacheQuestion): number {
    return this.#keys.of(name, nameLength, Math.imul(type, 0x9e3779b1) ^ variant);
  }

  /** The answer to a question, also one past its time; null for none. `key` is {@link keyOf} of it. */
  find(key: number, question: CacheQuestion): CacheEntry | null {
    let entry = this.#young.get(key);
    if (entry === undefined) {
      entry = this.#old.get(key);
      if (entry === undefined || !isOf(entry, question)) return null;
      this.#old.delete(key);
      this.#oldBytes -= entry.reply.bytes.length;
      this.#put(key, entry);
      return entry;
    }
    return isOf(entry, question) ? entry : null;
  }

  /** Remembers an answer. */
  put(key: number, question: CacheQuestion, answer: HeardAnswer): CacheEntry {
    const entry = this.make(question, answer);
    this.#forget(key);
    this.#put(key, entry);
    return entry;
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
      refreshing: false,
      failed: -Infinity,
    };
  }

  clear(): void {
    this.#young.clear();
    this.#old.clear();
    this.#youngBytes = this.#oldBytes = 0;
  }

  #forget(key: number): void {
    const young = this.#young.get(key);
    if (young !== undefined) {
      this.#young.delete(key);
      this.#youngBytes -= young.reply.bytes.length;
    }
    const old = this.#old.get(key);
    if (old !== undefined) {
      this.#old.delete(key);
      this.#oldBytes -= old.reply.bytes.length;
    }
  }

  #put(key: number, entry: CacheEntry): void {
    this.#young.set(key, entry);
    this.#youngBytes += entry.reply.bytes.length;
    const { entries, bytes } = this.#limits;
    if (this.#young.size <= entries / 2 && this.#youngBytes <= bytes / 2) return;
    this.#old = this.#young;
    this.#oldBytes = this.#youngBytes;
    this.#young = new Map();
    this.#youngBytes = 0;
  }
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
