import { MAX_NAME_BYTES } from "./constants.ts";

/** Longest label (RFC 1035 2.3.4). */
const MAX_LABEL_BYTES = 63;

/**
 * The offset after a name in a message, or -1 when it is invalid. Compression pointers (RFC 1035
 * 4.1.4) must point backwards, so that no loop is possible, and the whole must fit a name.
 */
export function skipName(bytes: Uint8Array, start: number, end: number): number {
  let at = start, after = -1, length = 0, limit = start;
  for (;;) {
    if (at >= end) return -1;
    const size = bytes[at]!;
    if (size === 0) return length + 1 > MAX_NAME_BYTES ? -1 : after < 0 ? at + 1 : after;
    if (size >= 0xc0) {
      if (at + 1 >= end) return -1;
      const target = (size & 0x3f) << 8 | bytes[at + 1]!;
      // A pointer into the header is invalid.
      if (target >= limit || target < 12) return -1;
      if (after < 0) after = at + 2;
      at = limit = target;
      continue;
    }
    if (size > MAX_LABEL_BYTES) return -1;
    length += size + 1;
    if (length >= MAX_NAME_BYTES) return -1;
    at += size + 1;
  }
}

/**
 * Copies a name without pointers and in lower case to the start of `out`, which has room for
 * {@link MAX_NAME_BYTES} bytes. Returns its length with the final zero. The name must have passed
 * {@link skipName}.
 */
export function copyName(bytes: Uint8Array, start: number, out: Uint8Array): number {
  let at = start, to = 0;
  for (;;) {
    const size = bytes[at]!;
    if (size >= 0xc0) {
      at = (size & 0x3f) << 8 | bytes[at + 1]!;
      continue;
    }
    out[to++] = size;
    if (size === 0) return to;
    for (let i = 1; i <= size; i++) out[to++] = lower(bytes[at + i]!);
    at += size + 1;
  }
}

/** A byte in lower case (ASCII only: RFC 4343). */
export function lower(byte: number): number {
  return byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte;
}

/**
 * A wire-format name as text with its final dot; bytes that are not printable are `\DDD`, dots
 * and backslashes inside a label with a backslash (RFC 1035 5.1). It must have passed {@link skipName}.
 */
export function nameText(bytes: Uint8Array, start = 0): string {
  let at = start, text = "";
  for (;;) {
    const size = bytes[at]!;
    if (size >= 0xc0) {
      at = (size & 0x3f) << 8 | bytes[at + 1]!;
      continue;
    }
    if (size === 0) return text === "" ? "." : text;
    for (let i = 1; i <= size; i++) text += byteText(bytes[at + i]!);
    text += ".";
    at += size + 1;
  }
}

function byteText(byte: number): string {
  if (byte === 0x2e || byte === 0x5c) return `\\${String.fromCharCode(byte)}`;
  return byte > 0x20 && byte < 0x7f
    ? String.fromCharCode(byte)
    : `\\${byte.toString().padStart(3, "0")}`;
}

/** A name from text as {@link nameText} writes it, with or without final dot; null when it is invalid. */
export function nameBytes(text: string): Uint8Array<ArrayBuffer> | null {
  const out = new Uint8Array(MAX_NAME_BYTES);
  let to = 1, label = 0;
  const close = (): boolean => {
    const size = to - label - 1;
    if (size === 0 || size > MAX_LABEL_BYTES) return false;
    out[label] = size;
    label = to++;
    return to <= MAX_NAME_BYTES;
  };
  if (text === "." || text === "") return new Uint8Array([0]);
  for (let i = 0; i < text.length; i++) {
    let code = text.charCodeAt(i);
    if (code === 0x2e) {
      if (!close()) return null;
      continue;
    }
    if (code === 0x5c) {
      const digits = /^\d{3}/.exec(text.slice(i + 1, i + 4))?.[0];
      if (digits !== undefined) {
        code = Number(digits);
        i += 3;
      } else code = text.charCodeAt(++i);
    }
    // NaN beyond the end.
    if (!(code <= 0xff) || to >= MAX_NAME_BYTES) return null;
    out[to++] = code;
  }
  // A final dot has ended the last label; an escaped one has not.
  if (to - label > 1 && !close()) return null;
  out[label] = 0;
  return out.slice(0, label + 1);
}
