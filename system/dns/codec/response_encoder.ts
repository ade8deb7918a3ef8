import type { QueryView } from "./query.ts";
import {
  DEFAULT_UDP_BYTES,
  FLAG,
  HEADER_BYTES,
  putUint16,
  putUint32,
  SAFE_UDP_BYTES,
  TYPE,
  uint32,
} from "./constants.ts";

/** Bytes of an EDNS record without options, and of one extended error in it. */
export const OPT_SIZE = 11;
const EXTENDED_SIZE = 6;
/** A pointer to the question's name, which always follows the header. */
const OWNER = 0xc000 | HEADER_BYTES;

/** The header fields of a response. */
export interface ResponseKind {
  /** An {@link RCODE}. */
  readonly code: number;
  /** True for local data. */
  readonly authoritative?: boolean;
  /** An extended error (RFC 8914), for clients with EDNS. */
  readonly extendedError?: number;
}

/** Largest response over UDP: what the client accepts and no path fragments. */
export function udpLimit(view: QueryView): number {
  return view.edns ? Math.min(view.udpSize, SAFE_UDP_BYTES) : DEFAULT_UDP_BYTES;
}

/**
 * Encodes a response into lent memory: `begin`, records in the order of their sections, `finish`. It
 * keeps nothing between responses and allocates nothing.
 */
export class ResponseEncoder {
  #out: Uint8Array = new Uint8Array(0);
  #at = 0;
  #answers = 0;
  #authority = 0;

  /** Starts with the question of the query, byte for byte. */
  begin(query: Uint8Array, view: QueryView, out: Uint8Array): void {
    this.#out = out;
    this.#answers = this.#authority = 0;
    for (let i = HEADER_BYTES; i < view.questionEnd; i++) out[i] = query[i]!;
    this.#at = Math.max(HEADER_BYTES, view.questionEnd);
  }

  /** A record of the query name, with data without compressed names. */
  answer(type: number, ttl: number, data: Uint8Array): void {
    if (this.#record(OWNER, type, ttl, data)) this.#answers++;
  }

  /** A record of another name, without compression. */
  answerFor(owner: Uint8Array, type: number, ttl: number, data: Uint8Array): void {
    if (this.#at + owner.length > this.#out.length) return;
    this.#out.set(owner, this.#at);
    const start = this.#at;
    this.#at += owner.length;
    if (this.#record(null, type, ttl, data)) this.#answers++;
    else this.#at = start;
  }

  /** The SOA by which a negative response is cached for its TTL (RFC 2308 3). */
  soa(zone: Uint8Array, ttl: number): void {
    if (this.#at + zone.length > this.#out.length) return;
    const start = this.#at;
    this.#out.set(zone, this.#at);
    this.#at += zone.length;
    const data = new Uint8Array(2 * zone.length + 20);
    data.set(zone);
    data.set(zone, zone.length);
    const numbers = [1, 3600, 1200, 604_800, ttl];
    numbers.forEach((value, i) => putUint32(data, 2 * zone.length + 4 * i, value));
    if (this.#record(null, TYPE.SOA, ttl, data)) this.#authority++;
    else this.#at = start;
  }

  /** Ends the response; one that is longer than `limit` is truncated to its question (RFC 2181 9). */
  finish(view: QueryView, kind: ResponseKind, limit: number): number {
    body.end = this.#at;
    body.answers = this.#answers;
    body.authority = this.#authority;
    body.additional = 0;
    body.flags = kind.authoritative ? FLAG.AA : 0;
    return finish(this.#out, view, limit, kind.code, kind.extendedError);
  }

  #record(owner: number | null, type: number, ttl: number, data: Uint8Array): boolean {
    const out = this.#out;
    let at = this.#at;
    if (at + 12 + data.length > out.length) return false;
    if (owner !== null) {
      putUint16(out, at, owner);
      at += 2;
    }
    putUint16(out, at, type);
    putUint16(out, at + 2, 1);
    putUint32(out, at + 4, ttl);
    putUint16(out, at + 8, data.length);
    out.set(data, at + 10);
    this.#at = at + 10 + data.length;
    return true;
  }
}

/** A response of an upstream resolver, without its EDNS record. */
export interface StoredResponse {
  /** Header, question (in lower case) and records; names in it may point back. */
  readonly bytes: Uint8Array;
  /** Its length in those bytes. */
  readonly size: number;
  /** Offset after the answers. */
  readonly answersEnd: number;
  readonly answers: number;
  readonly authority: number;
  readonly additional: number;
  /** Offsets of the TTLs, in their order, and their number. */
  readonly ttls: readonly number[];
  readonly ttlCount: number;
  readonly code: number;
  /** The resolver has validated signatures. */
  readonly authentic: boolean;
}

/** How a stored response is sent. */
export interface ReplayOptions {
  /** Seconds since it was received: TTLs are reduced by them. */
  readonly age: number;
  /** TTL of a stale response; absent: what is left of each. */
  readonly ttl?: number;
  readonly extendedError?: number;
  /** Another code than that of the response. */
  readonly code?: number;
  readonly limit: number;
}

/** Encodes a stored response for another query of the same question. Returns the length. */
export function encodeStored(
  stored: StoredResponse,
  { query, view }: { readonly query: Uint8Array; readonly view: QueryView },
  out: Uint8Array,
  options: ReplayOptions,
): number {
  const { bytes, ttls, size, ttlCount } = stored;
  const room = view.edns ? OPT_SIZE + (options.extendedError === undefined ? 0 : EXTENDED_SIZE) : 0;
  let { authority, additional } = stored;
  let end = size;
  if (end + room > options.limit && stored.answers > 0 && !view.dnssecOk) {
    // Sections after the answers may be left out without truncation.
    end = stored.answersEnd;
    authority = additional = 0;
  }
  const whole = end + room <= options.limit && end <= out.length;
  if (!whole) end = view.questionEnd;
  for (let i = HEADER_BYTES; i < view.questionEnd; i++) out[i] = query[i]!;
  for (let i = view.questionEnd; i < end; i++) out[i] = bytes[i]!;
  if (whole) {
    for (let i = 0; i < ttlCount; i++) {
      const at = ttls[i]!;
      if (at >= end) break;
      putUint32(out, at, options.ttl ?? Math.max(0, uint32(bytes, at) - options.age));
    }
  }
  // RFC 6840 5.7 and 5.8: AD is set for clients that understand it.
  const understands = view.dnssecOk || (view.flags & FLAG.AD) !== 0;
  body.end = end;
  body.answers = whole ? stored.answers : 0;
  body.authority = whole ? authority : 0;
  body.additional = whole ? additional : 0;
  body.flags = (stored.authentic && understands ? FLAG.AD : 0) | (whole ? 0 : FLAG.TC);
  return finish(out, view, options.limit, options.code ?? stored.code, options.extendedError);
}

/** What {@link finish} puts into the header; reused for each response. */
const body = { end: 0, answers: 0, authority: 0, additional: 0, flags: 0 };

function finish(
  out: Uint8Array,
  view: QueryView,
  limit: number,
  code: number,
  extended: number | undefined,
): number {
  const room = view.edns ? OPT_SIZE + (extended === undefined ? 0 : EXTENDED_SIZE) : 0;
  const cut = body.end + room > limit || body.end + room > out.length;
  const end = cut ? Math.max(HEADER_BYTES, view.questionEnd) : body.end;
  putUint16(out, 0, view.id);
  const echoed = view.flags & (0x7800 | FLAG.RD | FLAG.CD);
  const flags = FLAG.QR | FLAG.RA | echoed | body.flags | (cut ? FLAG.TC : 0);
  putUint16(out, 2, flags | (code & 0x0f));
  putUint16(out, 4, view.questionEnd > 0 ? 1 : 0);
  putUint16(out, 6, cut ? 0 : body.answers);
  putUint16(out, 8, cut ? 0 : body.authority);
  putUint16(out, 10, (cut ? 0 : body.additional) + (view.edns ? 1 : 0));
  return view.edns ? addOpt(out, end, view, code, extended) : end;
}

/** RFC 6891 6.1.2; the extended error of RFC 8914 2 without text. */
function addOpt(
  out: Uint8Array,
  at: number,
  view: QueryView,
  code: number,
  extended: number | undefined,
): number {
  out[at] = 0;
  putUint16(out, at + 1, TYPE.OPT);
  putUint16(out, at + 3, SAFE_UDP_BYTES);
  out[at + 5] = code >>> 4;
  out[at + 6] = 0;
  putUint16(out, at + 7, view.dnssecOk ? 0x8000 : 0);
  if (extended === undefined) {
    putUint16(out, at + 9, 0);
    return at + OPT_SIZE;
  }
  putUint16(out, at + 9, EXTENDED_SIZE);
  putUint16(out, at + 11, 15);
  putUint16(out, at + 13, 2);
  putUint16(out, at + 15, extended);
  return at + OPT_SIZE + EXTENDED_SIZE;
}
