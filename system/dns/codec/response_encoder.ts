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
/** A pointer to the question's name, which always stands right after the header. */
const OWNER = 0xc000 | HEADER_BYTES;

/** What an answer says of itself. */
export interface ResponseKind {
  /** An {@link RCODE}. */
  readonly code: number;
  /** True for what the resolver knows by itself. */
  readonly authoritative?: boolean;
  /** An extended error (RFC 8914); told to those who speak EDNS. */
  readonly extendedError?: number;
}

/** Most bytes of an answer over UDP: what the asker takes, and what no path breaks into parts. */
export function udpLimit(view: QueryView): number {
  return view.edns ? Math.min(view.udpSize, SAFE_UDP_BYTES) : DEFAULT_UDP_BYTES;
}

/**
 * Writes one answer into lent memory: `begin`, records in the order of their sections, `end`. It keeps
 * no memory between answers and allocates none.
 */
export class ResponseEncoder {
  #out: Uint8Array = new Uint8Array(0);
  #at = 0;
  #answers = 0;
  #authority = 0;

  /** Starts with the question as it was asked; room is what `out` has. */
  begin(query: Uint8Array, view: QueryView, out: Uint8Array): void {
    this.#out = out;
    this.#answers = this.#authority = 0;
    for (let i = HEADER_BYTES; i < view.questionEnd; i++) out[i] = query[i]!;
    this.#at = Math.max(HEADER_BYTES, view.questionEnd);
  }

  /** A record of the question's own name, with data that holds no compressed name. */
  answer(type: number, ttl: number, data: Uint8Array): void {
    if (this.#record(OWNER, type, ttl, data)) this.#answers++;
  }

  /** A record of a name of its own, without compression. */
  answerFor(owner: Uint8Array, type: number, ttl: number, data: Uint8Array): void {
    if (this.#at + owner.length > this.#out.length) return;
    this.#out.set(owner, this.#at);
    const kept = this.#at;
    this.#at += owner.length;
    if (this.#record(null, type, ttl, data)) this.#answers++;
    else this.#at = kept;
  }

  /** The SOA that lets a "no" be remembered for its TTL (RFC 2308 3). */
  soa(zone: Uint8Array, ttl: number): void {
    if (this.#at + zone.length > this.#out.length) return;
    const kept = this.#at;
    this.#out.set(zone, this.#at);
    this.#at += zone.length;
    const data = new Uint8Array(2 * zone.length + 20);
    data.set(zone);
    data.set(zone, zone.length);
    const numbers = [1, 3600, 1200, 604_800, ttl];
    numbers.forEach((value, i) => putUint32(data, 2 * zone.length + 4 * i, value));
    if (this.#record(null, TYPE.SOA, ttl, data)) this.#authority++;
    else this.#at = kept;
  }

  /** Ends the answer; one that is longer than `limit` is cut to its question (RFC 2181 9). */
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

/** A whole answer of someone else, kept without its EDNS record. */
export interface StoredResponse {
  /** Header, question (in lower case) and records; names in it may point back. */
  readonly bytes: Uint8Array;
  /** How many of those bytes it has. */
  readonly size: number;
  /** Offset after the answers. */
  readonly answersEnd: number;
  readonly answers: number;
  readonly authority: number;
  readonly additional: number;
  /** Where each TTL stands, in their order; so many of them. */
  readonly ttls: readonly number[];
  readonly ttlCount: number;
  readonly code: number;
  /** The upstream has checked signatures. */
  readonly authentic: boolean;
}

/** How a stored answer is told. */
export interface ReplayOptions {
  /** Seconds since it was heard: TTLs are less by them. */
  readonly age: number;
  /** TTL that is told for an answer past its own; absent: what is left of each. */
  readonly ttl?: number;
  readonly extendedError?: number;
  readonly limit: number;
}

/** Tells a stored answer to another query of the same question. Answers the length. */
export function encodeStored(
  stored: StoredResponse,
  asked: { readonly query: Uint8Array; readonly view: QueryView },
  out: Uint8Array,
  how: ReplayOptions,
): number {
  const { view, query } = asked;
  const { bytes, ttls, size, ttlCount } = stored;
  const room = view.edns ? OPT_SIZE + (how.extendedError === undefined ? 0 : EXTENDED_SIZE) : 0;
  let { authority, additional } = stored;
  let end = size;
  if (end + room > how.limit && stored.answers > 0 && !view.dnssecOk) {
    // What only accompanies the answers may be left out without saying so.
    end = stored.answersEnd;
    authority = additional = 0;
  }
  const whole = end + room <= how.limit && end <= out.length;
  if (!whole) end = view.questionEnd;
  for (let i = HEADER_BYTES; i < view.questionEnd; i++) out[i] = query[i]!;
  for (let i = view.questionEnd; i < end; i++) out[i] = bytes[i]!;
  if (whole) {
    for (let i = 0; i < ttlCount; i++) {
      const at = ttls[i]!;
      if (at >= end) break;
      putUint32(out, at, how.ttl ?? Math.max(0, uint32(bytes, at) - how.age));
    }
  }
  // RFC 6840 5.7 and 5.8: AD is told to those who understand it.
  const understands = view.dnssecOk || (view.flags & FLAG.AD) !== 0;
  body.end = end;
  body.answers = whole ? stored.answers : 0;
  body.authority = whole ? authority : 0;
  body.additional = whole ? additional : 0;
  body.flags = (stored.authentic && understands ? FLAG.AD : 0) | (whole ? 0 : FLAG.TC);
  return finish(out, view, how.limit, stored.code, how.extendedError);
}

/** What {@link finish} puts into the header; filled anew for each answer. */
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
