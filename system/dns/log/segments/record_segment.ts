import { copyName, nameText, skipName } from "../../codec/name.ts";
import { HEADER_BYTES, MAX_NAME_BYTES, uint16 } from "../../codec/constants.ts";
import { withoutRecords } from "./segment_copy.ts";
import type { ClientCounts, Segment } from "./segment.ts";
import { entryOf, type LoggedQuery } from "./entry.ts";
import {
  afterRecord,
  HEADER_OFFSETS,
  MAGIC,
  MESSAGE_ID_BYTES,
  messageStart,
  RECORD_OFFSETS,
} from "./format.ts";
import { type LogEntry, type LogVerdict, VERDICTS } from "../schema.ts";

/** Largest time value of a date (ECMAScript 21.4.1.1), in milliseconds. */
const MAX_DATE_MS = 8.64e15;

const decoder = new TextDecoder();
const nameCopy = new Uint8Array(MAX_NAME_BYTES), nameDotted = new Uint8Array(MAX_NAME_BYTES);

/** A segment in the binary format; each query is decoded when it is read. */
export class RecordSegment implements Segment {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly texts: readonly string[];
  readonly #view: DataView<ArrayBuffer>;
  /** Offset of each record. */
  readonly #starts: Uint32Array;

  private constructor(
    bytes: Uint8Array<ArrayBuffer>,
    { texts, starts }: { readonly texts: readonly string[]; readonly starts: Uint32Array },
  ) {
    this.bytes = bytes;
    this.#view = viewOf(bytes);
    this.texts = texts;
    this.#starts = starts;
  }

  /** Parses a segment; null for invalid bytes. */
  static read(bytes: Uint8Array<ArrayBuffer>): RecordSegment | null {
    if (bytes.length < HEADER_OFFSETS.bytes) return null;
    const view = viewOf(bytes);
    if (view.getUint32(HEADER_OFFSETS.format, true) !== MAGIC) return null;
    const end = view.getUint32(HEADER_OFFSETS.texts, true);
    const texts = end > bytes.length ? null : readTexts(bytes, end);
    if (texts === null) return null;
    const starts = findRecords(view, { end, texts: texts.length });
    return starts === null ? null : new RecordSegment(bytes, { texts, starts });
  }

  get size(): number {
    return this.#starts.length;
  }

  /** The highest id. */
  get last(): number {
    return this.#view.getFloat64(HEADER_OFFSETS.last, true);
  }

  /** Offset of a record. */
  start(index: number): number {
    return this.#starts[index]!;
  }

  /** Offset of the byte after a record. */
  end(index: number): number {
    return afterRecord(this.#view, this.#starts[index]!);
  }

  id(index: number): number {
    return this.#view.getFloat64(this.#starts[index]! + RECORD_OFFSETS.id, true);
  }

  client(index: number): string {
    return this.#text(index, RECORD_OFFSETS.client);
  }

  identity(index: number): string {
    return this.#text(index, RECORD_OFFSETS.identity);
  }

  verdict(index: number): LogVerdict {
    return VERDICTS[this.#view.getUint8(this.#starts[index]! + RECORD_OFFSETS.verdict)]!;
  }

  rebindAddress(index: number): string {
    return this.#text(index, RECORD_OFFSETS.rebindAddress);
  }

  /** The query name in wire format and lower case; the buffer is reused by the next call. */
  wireName(index: number): Uint8Array {
    const message = this.#message(index);
    if (skipName(message, HEADER_BYTES, message.length) < 0) nameCopy[0] = 0;
    else copyName(message, HEADER_BYTES, nameCopy);
    return nameCopy;
  }

  nameIncludes(index: number, part: string): boolean {
    const name = this.wireName(index);
    const length = name[0] === 0 ? -1 : dotted(name, nameDotted);
    return length < 0 ? nameText(name).includes(part) : includes(nameDotted, length, part);
  }

  query(index: number): LoggedQuery {
    const start = this.#starts[index]!, view = this.#view;
    const message = this.#message(index);
    const after = skipName(message, HEADER_BYTES, message.length);
    const categories = view.getUint8(start + RECORD_OFFSETS.categories);
    return {
      at: view.getFloat64(start + RECORD_OFFSETS.at, true),
      client: this.client(index),
      clientPort: view.getUint16(start + RECORD_OFFSETS.clientPort, true),
      identity: this.identity(index),
      local: this.#text(index, RECORD_OFFSETS.local),
      name: nameText(this.wireName(index)),
      qtype: after < 0 ? 0 : uint16(message, after),
      qclass: after < 0 ? 0 : uint16(message, after + 2),
      verdict: this.verdict(index),
      by: this.#text(index, RECORD_OFFSETS.by),
      categories: Array.from(
        { length: categories },
        (_, i) => this.#text(index, RECORD_OFFSETS.bytes + 2 * i),
      ),
      upstream: this.#text(index, RECORD_OFFSETS.upstream),
      ms: view.getUint32(start + RECORD_OFFSETS.duration, true) / 100,
      message,
      rebindAddress: this.rebindAddress(index),
    };
  }

  entry(index: number): LogEntry {
    return entryOf(this.query(index), this.id(index));
  }

  clientCounts(): readonly ClientCounts[] {
    const view = this.#view, starts = this.#starts, { texts } = this;
    const clients: { client: number; identity: number; counts: Uint32Array }[] = [];
    /** For each text that is a client address, the index in `clients` that was used last. */
    const latest = new Uint32Array(texts.length);
    for (let index = 0; index < starts.length; index++) {
      const start = starts[index]!;
      const client = view.getUint16(start + RECORD_OFFSETS.client, true);
      const identity = view.getUint16(start + RECORD_OFFSETS.identity, true);
      let at = latest[client]!;
      const known = clients[at];
      if (known === undefined || known.client !== client || known.identity !== identity) {
        at = clients.findIndex((one) => one.client === client && one.identity === identity);
        if (at < 0) {
          at = clients.push({ client, identity, counts: new Uint32Array(VERDICTS.length) }) - 1;
        }
        latest[client] = at;
      }
      clients[at]!.counts[view.getUint8(start + RECORD_OFFSETS.verdict)]!++;
    }
    return clients.map(({ client, identity, counts }): ClientCounts => {
      const verdicts: Record<string, number> = {};
      for (let i = 0; i < counts.length; i++) {
        if (counts[i] !== 0) verdicts[VERDICTS[i]!] = counts[i]!;
      }
      return [texts[client]!, texts[identity]!, verdicts];
    });
  }

  without(isRemoved: (index: number) => boolean): RecordSegment | null {
    const bytes = withoutRecords(this, isRemoved);
    return bytes === null ? null : bytes === this.bytes ? this : RecordSegment.read(bytes);
  }

  #text(index: number, field: number): string {
    return this.texts[this.#view.getUint16(this.#starts[index]! + field, true)]!;
  }

  /** The response message; the bytes in the index of its id are arbitrary. */
  #message(index: number): Uint8Array {
    const start = this.#starts[index]!;
    const at = messageStart(this.#view, start);
    return this.bytes.subarray(
      at - MESSAGE_ID_BYTES,
      at + this.#view.getUint16(start + RECORD_OFFSETS.length, true),
    );
  }
}

function viewOf(bytes: Uint8Array<ArrayBuffer>): DataView<ArrayBuffer> {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function readTexts(bytes: Uint8Array<ArrayBuffer>, from: number): readonly string[] | null {
  const texts = [""];
  for (let at = from; at < bytes.length;) {
    const end = at + 2 + (bytes[at]! | (bytes[at + 1] ?? 0) << 8);
    if (end > bytes.length) return null;
    texts.push(decoder.decode(bytes.subarray(at + 2, end)));
    at = end;
  }
  return texts;
}

/** Offset of each record; null when one is incomplete or refers to an unknown text. */
function findRecords(
  view: DataView,
  { end, texts }: { readonly end: number; readonly texts: number },
): Uint32Array | null {
  const size = view.getUint32(HEADER_OFFSETS.size, true);
  if (size > (end - HEADER_OFFSETS.bytes) / RECORD_OFFSETS.bytes) return null;
  const starts = new Uint32Array(size);
  let at: number = HEADER_OFFSETS.bytes;
  for (let index = 0; index < size; index++) {
    if (at + RECORD_OFFSETS.bytes > end) return null;
    const next = afterRecord(view, at);
    if (next > end || view.getUint8(at + RECORD_OFFSETS.verdict) >= VERDICTS.length) return null;
    if (!(Math.abs(view.getFloat64(at + RECORD_OFFSETS.at, true)) <= MAX_DATE_MS)) return null;
    if (!Number.isSafeInteger(view.getFloat64(at + RECORD_OFFSETS.id, true))) return null;
    for (
      let field: number = RECORD_OFFSETS.client;
      field <= RECORD_OFFSETS.rebindAddress;
      field += 2
    ) {
      if (field !== RECORD_OFFSETS.clientPort && view.getUint16(at + field, true) >= texts) {
        return null;
      }
    }
    const message = messageStart(view, at);
    for (let field = at + RECORD_OFFSETS.bytes; field < message; field += 2) {
      if (view.getUint16(field, true) >= texts) return null;
    }
    starts[index] = at;
    at = next;
  }
  return at === end ? starts : null;
}

/**
 * Writes a wire-format name as text, one byte per character. Returns its length, or -1 when it has
 * bytes that need escaping. The name must have passed {@link skipName}.
 */
function dotted(name: Uint8Array, out: Uint8Array): number {
  let at = 0;
  for (let size = name[0]!; size !== 0; size = name[at]!) {
    for (const end = at + size; at < end; at++) {
      const byte = name[at + 1]!;
      if (byte <= 0x20 || byte >= 0x7f || byte === DOT || byte === BACKSLASH) return -1;
      out[at] = byte;
    }
    out[at++] = DOT;
  }
  return at;
}

const DOT = 0x2e, BACKSLASH = 0x5c;

function includes(text: Uint8Array, length: number, part: string): boolean {
  const first = part.charCodeAt(0), last = length - part.length;
  for (let from = 0; from <= last; from++) {
    if (text[from] !== first) continue;
    let i = 1;
    while (i < part.length && text[from + i] === part.charCodeAt(i)) i++;
    if (i === part.length) return true;
  }
  return false;
}
