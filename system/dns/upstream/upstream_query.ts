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

/** What is asked outside. It says nothing of who asked. */
export interface Question {
  /** On the wire, in lower case. */
  readonly name: Uint8Array;
  readonly type: number;
  readonly dnssecOk: boolean;
  readonly checkingDisabled: boolean;
}

/** Is told once: the answer, or null and why there is none. */
export type Told = (reply: ParsedResponse | null, error?: unknown) => void;

/** Takes a question back: nothing is told of it any more. */
export type TakeBack = () => void;

/** How a question is put. */
export interface Wording {
  readonly id: number;
  /** A random bit for each letter of the name: set, it is written in upper case (0x20). Null: lower case. */
  readonly cases: Uint8Array | null;
  readonly edns: boolean;
  /** Asks how long a connection may stay open unused (RFC 7828 3.2.1). */
  readonly keepAlive: boolean;
  /** Fills the message up to a multiple of 128 bytes (RFC 8467 4.1), which hides its length under TLS. */
  readonly padded: boolean;
}

/** Block size of padded questions (RFC 8467 4.1), and the options' numbers (RFC 7830 3, RFC 7828 3.1). */
const PADDING_BLOCK = 128, PADDING = 12, KEEP_ALIVE = 11;

/** Bytes of random that {@link Wording.cases} needs. */
export const CASE_BYTES = Math.ceil(MAX_NAME_BYTES / 8);

/** The message of a question. */
export function questionMessage(
  { name, type, dnssecOk, checkingDisabled }: Question,
  { id, cases, edns, keepAlive, padded }: Wording,
): Uint8Array<ArrayBuffer> {
  const plain = HEADER_BYTES + name.length + 4;
  const asksKeep = edns && keepAlive ? 4 : 0;
  const bare = plain + (edns ? 11 : 0) + asksKeep;
  const padding = edns && padded
    ? 4 + (PADDING_BLOCK - (bare + 4) % PADDING_BLOCK) % PADDING_BLOCK
    : 0;
  const bytes = new Uint8Array(bare + padding);
  putUint16(bytes, 0, id);
  // AD asks whether the upstream has checked signatures (RFC 6840 5.7).
  putUint16(bytes, 2, FLAG.RD | FLAG.AD | (checkingDisabled ? FLAG.CD : 0));
  putUint16(bytes, 4, 1);
  bytes.set(name, HEADER_BYTES);
  if (cases !== null) mixCase(bytes, name.length, cases);
  putUint16(bytes, plain - 4, type);
  putUint16(bytes, plain - 2, 1);
  if (!edns) return bytes;
  putUint16(bytes, 10, 1);
  putUint16(bytes, plain + 1, TYPE.OPT);
  putUint16(bytes, plain + 3, SAFE_UDP_BYTES);
  putUint32(bytes, plain + 5, dnssecOk ? 0x8000 : 0);
  putUint16(bytes, plain + 9, asksKeep + padding);
  if (asksKeep > 0) putUint16(bytes, plain + 11, KEEP_ALIVE);
  if (padding === 0) return bytes;
  putUint16(bytes, bare, PADDING);
  putUint16(bytes, bare + 2, padding - 4);
  return bytes;
}

/**
 * Milliseconds for which the server of an answer over a connection lets that stay open unused (RFC
 * 7828 3.1); 0: it wants it closed; null: it says nothing. The answer must have been read whole.
 */
export function keepAliveOf(answer: Uint8Array): number | null {
  let at = skipName(answer, HEADER_BYTES, answer.length) + 4;
  const all = uint16(answer, 6) + uint16(answer, 8) + uint16(answer, 10);
  for (let i = 0; i < all; i++) {
    at = skipName(answer, at, answer.length);
    const type = uint16(answer, at), end = at + 10 + uint16(answer, at + 8);
    if (type === TYPE.OPT) return optionOf(answer, at + 10, end);
    at = end;
  }
  return null;
}

function optionOf(answer: Uint8Array, start: number, end: number): number | null {
  for (let at = start; at + 4 <= end; at += 4 + uint16(answer, at + 2)) {
    const isIt = uint16(answer, at) === KEEP_ALIVE && uint16(answer, at + 2) === 2 && at + 6 <= end;
    if (isIt) return uint16(answer, at + 4) * 100;
  }
  return null;
}

function mixCase(bytes: Uint8Array, length: number, cases: Uint8Array): void {
  for (let i = 0, label = 0; i < length; i++) {
    const byte = bytes[HEADER_BYTES + i]!;
    if (label === 0) {
      label = byte;
      continue;
    }
    label--;
    const upper = (cases[i >> 3]! >> (i & 7) & 1) === 1;
    if (upper && byte >= 0x61 && byte <= 0x7a) bytes[HEADER_BYTES + i] = byte & ~0x20;
  }
}

/** How an answer fits a question: `other` is ignored; `case`: all but the case of the name. */
export type Fit = "fits" | "case" | "other";

/** Compares an answer with the question that was sent: id, opcode, and question byte for byte. */
export function fits(answer: Uint8Array, sent: Uint8Array, nameLength: number): Fit {
  const end = HEADER_BYTES + nameLength + 4;
  if (answer.length < end || uint16(answer, 0) !== uint16(sent, 0)) return "other";
  const flags = uint16(answer, 2);
  if ((flags & FLAG.QR) === 0 || (flags & 0x7800) !== 0 || uint16(answer, 4) !== 1) return "other";
  let result: Fit = "fits";
  for (let i = HEADER_BYTES; i < end; i++) {
    const a = answer[i]!, b = sent[i]!;
    if (a === b) continue;
    const letter = (b | 0x20) >= 0x61 && (b | 0x20) <= 0x7a && i < end - 4;
    if (!letter || (a | 0x20) !== (b | 0x20)) return "other";
    result = "case";
  }
  return result;
}
