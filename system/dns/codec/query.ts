import { lower } from "./name.ts";
import {
  CLASS,
  DEFAULT_UDP_BYTES,
  FLAG,
  HEADER_BYTES,
  MAX_NAME_BYTES,
  RCODE,
  TYPE,
  uint16,
} from "./constants.ts";

/** Returned by {@link parseQuery} for messages that get no response. */
export const DROP = -1;

/** Additional records of a query: EDNS, and signatures that are ignored. */
const MAX_ADDITIONAL_RECORDS = 4;

/**
 * A parsed query, in fields that are reused for each query: parsing allocates nothing. It is valid
 * until the next call of {@link parseQuery}.
 */
export class QueryView {
  id = 0;
  flags = 0;
  type = 0;
  class = 0;
  /** Offset after the question; 0 without one. */
  questionEnd = 0;
  /** The name in wire format, in lower case. */
  readonly name: Uint8Array<ArrayBuffer> = new Uint8Array(MAX_NAME_BYTES);
  nameLength = 0;
  labels = 0;
  /** True for a query with EDNS. */
  edns = false;
  /** UDP payload that the client accepts. */
  udpSize: number = DEFAULT_UDP_BYTES;
  dnssecOk = false;

  get checkingDisabled(): boolean {
    return (this.flags & FLAG.CD) !== 0;
  }

  get recursion(): boolean {
    return (this.flags & FLAG.RD) !== 0;
  }
}

/**
 * Parses a query. Returns 0 for a valid one, {@link DROP} for a message without response (an incomplete
 * header, a response), else the response code (RFC 1035 4.1.1): FORMERR, NOTIMP, REFUSED, BADVERS.
 */
export function parseQuery(bytes: Uint8Array, view: QueryView): number {
  const code = readQuery(bytes, view);
  if (code > 0 && !view.edns) findEdns(bytes, view);
  return code;
}

function readQuery(bytes: Uint8Array, view: QueryView): number {
  view.questionEnd = view.nameLength = view.labels = 0;
  view.edns = view.dnssecOk = false;
  view.udpSize = DEFAULT_UDP_BYTES;
  if (bytes.length < HEADER_BYTES) return DROP;
  view.id = uint16(bytes, 0);
  view.flags = uint16(bytes, 2);
  // A response to a response would let two servers loop for ever.
  if ((view.flags & FLAG.QR) !== 0) return DROP;
  if ((view.flags & 0x7800) !== 0) return RCODE.NOTIMP;
  if (uint16(bytes, 4) !== 1) return RCODE.FORMERR;
  const after = readQuestion(bytes, view);
  if (after < 0 || (view.flags & FLAG.TC) !== 0) return RCODE.FORMERR;
  // An incremental transfer has an SOA beside the question (RFC 1995 3).
  if (view.type === TYPE.IXFR) return RCODE.REFUSED;
  if (uint16(bytes, 6) !== 0 || uint16(bytes, 8) !== 0) return RCODE.FORMERR;
  const code = readAdditional(bytes, after, view);
  if (code !== 0) return code;
  if (view.class !== CLASS.IN) return view.class === CLASS.CH ? RCODE.REFUSED : RCODE.NOTIMP;
  return typeCode(view.type);
}

/** Types that stand for transfers or for many types at once, or occur in additional records only. */
function typeCode(type: number): number {
  if (type === 0 || type === TYPE.OPT || type === TYPE.TSIG) return RCODE.FORMERR;
  if (type === TYPE.AXFR || type === TYPE.IXFR) return RCODE.REFUSED;
  return type >= TYPE.TKEY && type < TYPE.ANY ? RCODE.NOTIMP : 0;
}

function readQuestion(bytes: Uint8Array, view: QueryView): number {
  const { name } = view;
  let at = HEADER_BYTES, labels = 0;
  for (;;) {
    const size = bytes[at];
    // A pointer is invalid here: only the header is before it.
    if (size === undefined || size > 63) return -1;
    const to = at - HEADER_BYTES;
    if (to + size + 1 > MAX_NAME_BYTES) return -1;
    name[to] = size;
    if (size === 0) break;
    labels++;
    const end = at + size;
    if (end >= bytes.length) return -1;
    for (let i = at + 1; i <= end; i++) name[i - HEADER_BYTES] = lower(bytes[i]!);
    at = end + 1;
  }
  if (at + 5 > bytes.length) return -1;
  view.nameLength = at + 1 - HEADER_BYTES;
  view.labels = labels;
  view.type = uint16(bytes, at + 1);
  view.class = uint16(bytes, at + 3);
  return view.questionEnd = at + 5;
}

function readAdditional(bytes: Uint8Array, start: number, view: QueryView): number {
  const count = uint16(bytes, 10);
  if (count > MAX_ADDITIONAL_RECORDS) return RCODE.FORMERR;
  let at = start, version = 0;
  for (let i = 0; i < count; i++) {
    const owner = at;
    at = skipOwner(bytes, at);
    if (at < 0 || at + 10 > bytes.length) return RCODE.FORMERR;
    const end = at + 10 + uint16(bytes, at + 8);
    if (end > bytes.length) return RCODE.FORMERR;
    if (uint16(bytes, at) === TYPE.OPT) {
      // RFC 6891 6.1.1: one at most, and its owner is the root.
      if (view.edns || bytes[owner] !== 0 || !optionsFit(bytes, at + 10, end)) return RCODE.FORMERR;
      takeEdns(bytes, at, view);
      version = bytes[at + 5]!;
    }
    at = end;
  }
  if (at !== bytes.length) return RCODE.FORMERR;
  return version === 0 ? 0 : RCODE.BADVERS;
}

/** Reads an EDNS record; `at`: its type. */
function takeEdns(bytes: Uint8Array, at: number, view: QueryView): void {
  view.edns = true;
  view.udpSize = Math.max(DEFAULT_UDP_BYTES, uint16(bytes, at + 2));
  view.dnssecOk = (bytes[at + 6]! & 0x80) !== 0;
}

/**
 * Finds EDNS in an invalid query, of any opcode: an error response has EDNS, too (RFC 6891 6.1.1 and
 * 7), lest the client takes us for a resolver without it.
 */
function findEdns(bytes: Uint8Array, view: QueryView): void {
  let at = HEADER_BYTES;
  for (let left = uint16(bytes, 4); left > 0; left--) {
    at = skipOwner(bytes, at) + 4;
    if (at < HEADER_BYTES + 4 || at > bytes.length) return;
  }
  const before = uint16(bytes, 6) + uint16(bytes, 8);
  const all = before + uint16(bytes, 10);
  for (let i = 0; i < all; i++) {
    const owner = at;
    at = skipOwner(bytes, owner);
    if (at < 0 || at + 10 > bytes.length) return;
    if (i >= before && bytes[owner] === 0 && uint16(bytes, at) === TYPE.OPT) {
      return takeEdns(bytes, at, view);
    }
    at += 10 + uint16(bytes, at + 8);
  }
}

function skipOwner(bytes: Uint8Array, start: number): number {
  for (let at = start;;) {
    const size = bytes[at];
    if (size === undefined) return -1;
    if (size === 0) return at + 1;
    if (size >= 0xc0) return at + 2;
    if (size > 63 || at - start > MAX_NAME_BYTES) return -1;
    at += size + 1;
  }
}

function optionsFit(bytes: Uint8Array, start: number, end: number): boolean {
  let at = start;
  while (at + 4 <= end) at += 4 + uint16(bytes, at + 2);
  return at === end;
}
