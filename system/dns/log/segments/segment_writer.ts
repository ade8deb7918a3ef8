import type { OverrideRef } from "../../block/verdict/verdict_schema.ts";
import {
  HEADER_OFFSETS,
  IDS_PER_MS,
  MAX_CATEGORIES,
  MAX_MESSAGE_BYTES,
  MAX_TEXT_LENGTH,
  MESSAGE_ID_BYTES,
  RECORD_OFFSETS,
  writeHeader,
} from "./format.ts";
import { type LogVerdict, VERDICTS } from "../schema.ts";
import type { QueryRecord } from "../writer/sink.ts";

/** Bytes of records in one segment: about two thousand queries. */
const MAX_RECORD_BYTES = 256 * 1024;
/** Bytes of texts at which a segment is full, and its buffer with room for one more query. */
const MAX_TEXT_BYTES = 64 * 1024,
  TEXT_BUFFER_BYTES = MAX_TEXT_BYTES + (6 + MAX_CATEGORIES) * (3 * MAX_TEXT_LENGTH + 2);
/** Message size up to which a loop copies faster than `Uint8Array.set`. */
const MAX_LOOP_COPY_BYTES = 160;
/** Maximum u32 duration, in hundredths of a millisecond. */
const MAX_DURATION = 0xffff_ffff;

const VERDICT_CODES = Object.fromEntries(
  VERDICTS.map((verdict, number) => [verdict, number]),
) as Readonly<
  Record<LogVerdict, number>
>;

/** Text numbers of a client, cached so that a query needs one look-up. */
interface ClientTexts {
  readonly text: number;
  identity: string;
  identityText: number;
  local: string;
  localText: number;
}

/**
 * Writes queries into a buffer that is allocated once, and numbers them: ids increase even when the
 * clock is set back.
 */
export class SegmentWriter {
  readonly #bytes = new Uint8Array(MAX_RECORD_BYTES);
  readonly #view = new DataView(this.#bytes.buffer);
  readonly #texts = new Uint8Array(TEXT_BUFFER_BYTES);
  readonly #encoder = new TextEncoder();
  readonly #textNumbers = new Map<string, number>();
  readonly #overrideNumbers = new Map<OverrideRef, number>();
  readonly #clients = new Map<string, ClientTexts>();
  /** The latest client, which is often the next one. */
  #client = "";
  #latest: ClientTexts | undefined;
  #textsEnd = 0;
  #count = 0;
  #used: number = HEADER_OFFSETS.bytes;
  #size = 0;
  #first = 0;
  #last: number;

  /** `last`: the highest id so far. */
  constructor(last: number) {
    this.#last = last;
  }

  get size(): number {
    return this.#size;
  }

  /** The highest id so far. */
  get last(): number {
    return this.#last;
  }

  /** Continues with ids above this one. */
  continueAfter(last: number): void {
    this.#last = Math.max(this.#last, last);
  }

  /** Writes a query; false when the segment is full and must be taken first. */
  add(query: QueryRecord): boolean {
    const { message, categories } = query;
    const length = Math.max(0, Math.min(query.length, MAX_MESSAGE_BYTES) - MESSAGE_ID_BYTES);
    const categoryCount = Math.min(categories.length, MAX_CATEGORIES);
    const at = this.#used;
    const start = at + RECORD_OFFSETS.bytes + 2 * categoryCount;
    if (start + length > MAX_RECORD_BYTES || this.#textsEnd > MAX_TEXT_BYTES) return false;
    const texts = this.#clientTexts(query);
    const view = this.#view, { by } = query;
    const minId = Math.floor(query.at) * IDS_PER_MS;
    const id = this.#last = this.#last < minId ? minId : this.#last + 1;
    if (this.#size++ === 0) this.#first = id;
    view.setFloat64(at + RECORD_OFFSETS.id, id, true);
    view.setFloat64(at + RECORD_OFFSETS.at, query.at, true);
    view.setUint32(
      at + RECORD_OFFSETS.duration,
      Math.min(Math.round(query.ms * 100), MAX_DURATION),
      true,
    );
    view.setUint16(at + RECORD_OFFSETS.client, texts.text, true);
    view.setUint16(at + RECORD_OFFSETS.clientPort, query.clientPort, true);
    view.setUint16(at + RECORD_OFFSETS.identity, texts.identityText, true);
    view.setUint16(at + RECORD_OFFSETS.local, texts.localText, true);
    const decider = typeof by === "string" ? this.#textNumber(by) : this.#overrideNumber(by);
    view.setUint16(at + RECORD_OFFSETS.by, decider, true);
    view.setUint16(at + RECORD_OFFSETS.upstream, this.#textNumber(query.upstream), true);
    view.setUint16(at + RECORD_OFFSETS.rebindAddress, this.#textNumber(query.rebindAddress), true);
    view.setUint8(at + RECORD_OFFSETS.verdict, VERDICT_CODES[query.verdict]);
    view.setUint8(at + RECORD_OFFSETS.categories, categoryCount);
    view.setUint16(at + RECORD_OFFSETS.length, length, true);
    for (let i = 0; i < categoryCount; i++) {
      view.setUint16(at + RECORD_OFFSETS.bytes + 2 * i, this.#textNumber(categories[i]!), true);
    }
    if (length > MAX_LOOP_COPY_BYTES) {
      this.#bytes.set(message.subarray(MESSAGE_ID_BYTES, MESSAGE_ID_BYTES + length), start);
    } else {
      const bytes = this.#bytes;
      for (let i = 0; i < length; i++) bytes[start + i] = message[MESSAGE_ID_BYTES + i]!;
    }
    this.#used = start + length;
    return true;
  }

  /** Returns the segment in memory of its own and starts the next one; null when it is empty. */
  take(): Uint8Array<ArrayBuffer> | null {
    if (this.#size === 0) return null;
    const segment = new Uint8Array(this.#used + this.#textsEnd);
    segment.set(this.#bytes.subarray(0, this.#used));
    segment.set(this.#texts.subarray(0, this.#textsEnd), this.#used);
    writeHeader(segment, {
      size: this.#size,
      texts: this.#used,
      first: this.#first,
      last: this.#last,
    });
    this.#textNumbers.clear();
    this.#overrideNumbers.clear();
    this.#clients.clear();
    this.#latest = undefined;
    this.#count = this.#textsEnd = this.#size = 0;
    this.#used = HEADER_OFFSETS.bytes;
    return segment;
  }

  #clientTexts({ client, identity, local }: QueryRecord): ClientTexts {
    let texts = client === this.#client ? this.#latest : this.#clients.get(client);
    if (texts === undefined) {
      const text = this.#textNumber(client);
      texts = { text, identity: "", identityText: 0, local: "", localText: 0 };
      this.#clients.set(client, texts);
    }
    this.#client = client;
    this.#latest = texts;
    if (texts.identity !== identity) {
      texts.identity = identity;
      texts.identityText = this.#textNumber(identity);
    }
    if (texts.local !== local) {
      texts.local = local;
      texts.localText = this.#textNumber(local);
    }
    return texts;
  }

  #overrideNumber(by: OverrideRef): number {
    let number = this.#overrideNumbers.get(by);
    if (number === undefined) {
      const { list, domain } = by.override;
      this.#overrideNumbers.set(by, number = this.#textNumber(`${list}: ${domain}`));
    }
    return number;
  }

  #textNumber(text: string): number {
    if (text === "") return 0;
    let number = this.#textNumbers.get(text);
    if (number === undefined) {
      const at = this.#textsEnd;
      const { written } = this.#encoder.encodeInto(
        text.length > MAX_TEXT_LENGTH ? text.slice(0, MAX_TEXT_LENGTH) : text,
        this.#texts.subarray(at + 2),
      );
      this.#texts[at] = written & 0xff;
      this.#texts[at + 1] = written >>> 8;
      this.#textsEnd = at + 2 + written;
      this.#textNumbers.set(text, number = ++this.#count);
    }
    return number;
  }
}
