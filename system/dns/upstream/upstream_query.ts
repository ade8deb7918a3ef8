import { skipName } from "../codec/name.ts";
import type { ParsedResponse } from "../codec/response_parser.ts";
import {
  FLAG,
  HEADER_BYTES,
  MAX_NAME_BYTES,
  putUint16,
  putUint32,
  SAFE_UDP_BYTES,
  TYPE,
  uint16,
} from "../codec/constants.ts";

/** A query to upstream resolvers. It says nothing of the client. */
export interface UpstreamQuery {
  /** In wire format, in lower case. */
  readonly name: Uint8Array;
  readonly type: number;
  readonly dnssecOk: boolean;
  readonly checkingDisabled: boolean;
}

/** Called once: with the response, or with null and the error. */
export type ResponseCallback = (response: ParsedResponse | null, error?: unknown) => void;

/** Cancels a query: its callback is not called any more. */
export type CancelQuery = () => void;

/** How a query is encoded. */
export interface QueryEncoding {
  readonly id: number;
  /** A random bit for each letter of the name: set, it is in upper case (0x20). Null: lower case. */
  readonly caseBits: Uint8Array | null;
  readonly edns: boolean;
  /** Requests the keepalive timeout of the connection (RFC 7828 3.2.1). */
  readonly keepAlive: boolean;
  /** Pads the message to a multiple of 128 bytes (RFC 8467 4.1), which hides its length under TLS. */
  readonly padded: boolean;
}

/** Block size of padded queries (RFC 8467 4.1), and option codes (RFC 7830 3, RFC 7828 3.1). */
const PADDING_BLOCK = 128, PADDING = 12, KEEP_ALIVE = 11;

/** Length of {@link QueryEncoding.caseBits}. */
export const CASE_BITS_BYTES = Math.ceil(MAX_NAME_BYTES / 8);

/** A query in wire format. */
export function encodeQuery(
  { name, type, dnssecOk, checkingDisabled }: UpstreamQuery,
  { id, caseBits, edns, keepAlive, padded }: QueryEncoding,
): Uint8Array<ArrayBuffer> {
  const plain = HEADER_BYTES + name.length + 4;
  const keepAliveBytes = edns && keepAlive ? 4 : 0;
  const bare = plain + (edns ? 11 : 0) + keepAliveBytes;
  const padding = edns && padded
    ? 4 + (PADDING_BLOCK - (bare + 4) % PADDING_BLOCK) % PADDING_BLOCK
    : 0;
  const bytes = new Uint8Array(bare + padding);
  putUint16(bytes, 0, id);
  // AD asks whether the resolver has validated signatures (RFC 6840 5.7).
  putUint16(bytes, 2, FLAG.RD | FLAG.AD | (checkingDisabled ? FLAG.CD : 0));
  putUint16(bytes, 4, 1);
  bytes.set(name, HEADER_BYTES);
  if (caseBits !== null) mixCase(bytes, name.length, caseBits);
  putUint16(bytes, plain - 4, type);
  putUint16(bytes, plain - 2, 1);
  if (!edns) return bytes;
  putUint16(bytes, 10, 1);
  putUint16(bytes, plain + 1, TYPE.OPT);
  putUint16(bytes, plain + 3, SAFE_UDP_BYTES);
  putUint32(bytes, plain + 5, dnssecOk ? 0x8000 : 0);
  putUint16(bytes, plain + 9, keepAliveBytes + padding);
  if (keepAliveBytes > 0) putUint16(bytes, plain + 11, KEEP_ALIVE);
  if (padding === 0) return bytes;
  putUint16(bytes, bare, PADDING);
  putUint16(bytes, bare + 2, padding - 4);
  return bytes;
}

/**
 * Milliseconds for which the server lets an idle connection stay open (RFC 7828 3.1), from a response
 * over it; 0: it wants it closed; null: the option is missing. The response must be well-formed.
 */
export function keepAliveTimeout(message: Uint8Array): number | null {
  let at = skipName(message, HEADER_BYTES, message.length) + 4;
  const records = uint16(message, 6) + uint16(message, 8) + uint16(message, 10);
  for (let i = 0; i < records; i++) {
    at = skipName(message, at, message.length);
    const type = uint16(message, at), end = at + 10 + uint16(message, at + 8);
    if (type === TYPE.OPT) return keepAliveOption(message, at + 10, end);
    at = end;
  }
  return null;
}

function keepAliveOption(message: Uint8Array, start: number, end: number): number | null {
  for (let at = start; at + 4 <= end; at += 4 + uint16(message, at + 2)) {
    const isKeepAlive = uint16(message, at) === KEEP_ALIVE && uint16(message, at + 2) === 2 &&
      at + 6 <= end;
    if (isKeepAlive) return uint16(message, at + 4) * 100;
  }
  return null;
}

function mixCase(bytes: Uint8Array, length: number, caseBits: Uint8Array): void {
  for (let i = 0, label = 0; i < length; i++) {
    const byte = bytes[HEADER_BYTES + i]!;
    if (label === 0) {
      label = byte;
      continue;
    }
    label--;
    const upper = (caseBits[i >> 3]! >> (i & 7) & 1) === 1;
    if (upper && byte >= 0x61 && byte <= 0x7a) bytes[HEADER_BYTES + i] = byte & ~0x20;
  }
}

/**
 * How a response matches a query: `case`: in all but the letter case of the name; `none`: it belongs to
 * another query.
 */
export type ResponseMatch = "match" | "case" | "none";

/** Compares a response with the query that was sent: id, opcode, and question byte for byte. */
export function matchResponse(
  response: Uint8Array,
  query: Uint8Array,
  nameLength: number,
): ResponseMatch {
  const end = HEADER_BYTES + nameLength + 4;
  if (response.length < end || uint16(response, 0) !== uint16(query, 0)) return "none";
  const flags = uint16(response, 2);
  if ((flags & FLAG.QR) === 0 || (flags & 0x7800) !== 0 || uint16(response, 4) !== 1) return "none";
  let result: ResponseMatch = "match";
  for (let i = HEADER_BYTES; i < end; i++) {
    const a = response[i]!, b = query[i]!;
    if (a === b) continue;
    const letter = (b | 0x20) >= 0x61 && (b | 0x20) <= 0x7a && i < end - 4;
    if (!letter || (a | 0x20) !== (b | 0x20)) return "none";
    result = "case";
  }
  return result;
}
