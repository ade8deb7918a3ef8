import type { CacheEntry, CacheQuery } from "./cache_entry.ts";
import { CacheSlab, fitsSlot, SLOT_BYTES } from "./cache_slab.ts";
import { lower } from "../codec/name.ts";
import type { NameKey } from "../codec/name_key.ts";
import { copyResponse, type ParsedResponse } from "../codec/response_parser.ts";
import { HEADER_BYTES } from "../codec/constants.ts";

/** How long an expired entry is kept for when no upstream resolver responds (RFC 8767 5). */
const MAX_STALE_S = 86_400;

/** An entry is prefetched in the last part of its TTL, unless that is short. */
const PREFETCH_PART = 0.1, MIN_PREFETCH_TTL_S = 10;

/** A response as it arrived. */
export interface ReceivedResponse {
  readonly response: ParsedResponse;
  readonly upstream: string;
  readonly privateAddress: string | null;
  /** Milliseconds of the clock. */
  readonly now: number;
}

/** Size of a cache. */
export interface CacheLimits {
  readonly entries: number;
  readonly bytes: number;
}

/**
 * Upstream responses by query. Small ones, which nearly all are, lie in a slab; larger ones and those
 * with private addresses are objects. These fill a young half; when that is full it becomes the old half,
 * and the former old half, with all that was not used meanwhile, is dropped.
 */
export class DnsCache {
  readonly #keys: NameKey;
  readonly #limits: CacheLimits;
  readonly #slab: CacheSlab | null;
  #young = new Map<number, CacheEntry>();
  #old = new Map<number, CacheEntry>();
  #youngBytes = 0;
  #oldBytes = 0;

  constructor(keys: NameKey, { entries, bytes }: CacheLimits) {
    this.#keys = keys;
    const slots = slotsOf(entries, bytes);
    this.#slab = slots === 0 ? null : new CacheSlab(slots);
    this.#limits = { entries: entries - slots, bytes: bytes - slots * SLOT_BYTES };
  }

  get entries(): number {
    return this.#young.size + this.#old.size + (this.#slab?.count ?? 0);
  }

  get bytes(): number {
    return this.#youngBytes + this.#oldBytes + (this.#slab?.bytes ?? 0);
  }

  /** The key of a query. `of`: the {@link NameKey} of its name, where that is known. */
  keyOf(
    { name, nameLength, type, variant }: CacheQuery,
    of: number = this.#keys.of(name, nameLength),
  ): number {
    return this.#keys.with(of, Math.imul(type, 0x9e3779b1) ^ variant);
  }

  /**
   * The entry of a query, also an expired one; null for none. `key`: its {@link keyOf}. It is valid
   * until the next call; {@link detach} copies it.
   */
  find(key: number, query: CacheQuery): CacheEntry | null {
    const small = this.#slab?.find(key, query);
    if (small) return small;
    let entry = this.#young.get(key);
    if (entry === undefined) {
      entry = this.#old.get(key);
      if (entry === undefined || !isOf(entry, query)) return null;
      this.#old.delete(key);
      this.#oldBytes -= entry.response.size;
      this.#put(key, entry);
      return entry;
    }
    return isOf(entry, query) ? entry : null;
  }

  /** Caches a response. */
  put(key: number, query: CacheQuery, received: ReceivedResponse): CacheEntry {
    const entry = this.entryOf(query, received);
    this.#remove(key);
    if (entry.privateAddress === null && fitsSlot(entry.response) && this.#slab?.put(key, entry)) {
      return entry;
    }
    this.#slab?.delete(key);
    this.#put(key, entry);
    return entry;
  }

  /** A found entry as one that stays valid; the cached one stays where it is. */
  detach(found: CacheEntry): CacheEntry {
    if (this.#slab === null || !this.#slab.isView(found)) return found;
    const { response, nameLength, type, variant, privateAddress, upstream, receivedAt, expiresAt } =
      found;
    return {
      response: copyResponse(response),
      nameLength,
      type,
      variant,
      privateAddress,
      upstream,
      receivedAt,
      expiresAt,
    };
  }

  /** A response as an entry. Its query name is written in lower case, as in all entries. */
  entryOf(
    query: CacheQuery,
    { response, upstream, privateAddress, now }: ReceivedResponse,
  ): CacheEntry {
    for (let i = HEADER_BYTES; i < HEADER_BYTES + query.nameLength; i++) {
      response.bytes[i] = lower(response.bytes[i]!);
    }
    return {
      response,
      nameLength: query.nameLength,
      type: query.type,
      variant: query.variant,
      privateAddress,
      upstream,
      receivedAt: now,
      expiresAt: now + response.ttl * 1000,
    };
  }

  clear(): void {
    this.#slab?.clear();
    this.#young.clear();
    this.#old.clear();
    this.#youngBytes = this.#oldBytes = 0;
  }

  #remove(key: number): void {
    const young = this.#young.get(key);
    if (young !== undefined) {
      this.#young.delete(key);
      this.#youngBytes -= young.response.size;
    }
    const old = this.#old.get(key);
    if (old !== undefined) {
      this.#old.delete(key);
      this.#oldBytes -= old.response.size;
    }
  }

  #put(key: number, entry: CacheEntry): void {
    this.#young.set(key, entry);
    this.#youngBytes += entry.response.size;
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
  const most = Math.min(entries, bytes / 2 / SLOT_BYTES);
  return most < 4 ? 0 : 2 ** Math.floor(Math.log2(most));
}

/** When an entry may be prefetched, in milliseconds of the clock; its expiry, for a short TTL. */
export function prefetchFrom({ response: { ttl }, expiresAt }: CacheEntry): number {
  return ttl < MIN_PREFETCH_TTL_S ? expiresAt : expiresAt - ttl * 1000 * PREFETCH_PART;
}

/** True for an entry that may be served stale. */
export function isUsableStale(entry: CacheEntry, now: number): boolean {
  return now < entry.expiresAt + MAX_STALE_S * 1000;
}

/** True when an entry answers a query, not another with the same key. */
export function isOf(entry: CacheEntry, query: CacheQuery): boolean {
  const { nameLength } = entry;
  if (
    nameLength !== query.nameLength || entry.type !== query.type ||
    entry.variant !== query.variant
  ) return false;
  const { bytes } = entry.response;
  const { name } = query;
  for (let i = 0; i < nameLength; i++) if (bytes[HEADER_BYTES + i] !== name[i]) return false;
  return true;
}
