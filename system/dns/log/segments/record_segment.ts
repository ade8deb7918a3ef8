import { copyName, nameText, skipName } from "../../codec/name.ts";
import { HEADER, LONGEST_NAME, word } from "../../codec/constants.ts";
import { withoutRecords } from "./segment_copy.ts";
import type { Asked, Entries } from "./segment.ts";
import { entryOf, type LoggedQuery } from "./entry.ts";
import { afterRecord, FORMAT, HEAD, MESSAGE_ID, messageStart, RECORD } from "./format.ts";
import { type LogEntry, type Verdict, VERDICTS } from "../schema.ts";

/** Farthest time from 1970 that a date can have (ECMAScript 21.4.1.1), in milliseconds. */
const LATEST = 8.64e15;

const decoder = new TextDecoder();
const nameCopy = new Uint8Array(LONGEST_NAME), nameDotted = new Uint8Array(LONGEST_NAME);

/** Queries as the block writer wrote them; a query is read when it is asked for. */
export class RecordBlock implements Entries {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly texts: readonly string[];
  readonly #view: DataView<ArrayBuffer>;
  /** Where each record begins. */
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

  /** Null for bytes that are no whole block. */
  static read(bytes: Uint8Array<ArrayBuffer>): RecordBlock | null {
    if (bytes.length < HEAD.bytes) return null;
    const view = viewOf(bytes);
    if (view.getUint32(HEAD.format, true) !== FORMAT) return null;
    const end = view.getUint32(HEAD.texts, true);
    const texts = end > bytes.length ? null : readTexts(bytes, end);
    if (texts === null) return null;
    const starts = findRecords(view, { end, texts: texts.length });
    return starts === null ? null : new RecordBlock(bytes, { texts, starts });
  }

  get size(): number {
    return this.#starts.length;
  }

  /** The highest id. */
  get last(): number {
    return this.#view.getFloat64(HEAD.last, true);
  }

  /** Where a record begins. */
  start(place: number): number {
    return this.#starts[place]!;
  }

  /** Where it ends. */
  end(place: number): number {
    return afterRecord(this.#view, this.#starts[place]!);
  }

  id(place: number): number {
    return this.#view.getFloat64(this.#starts[place]! + RECORD.id, true);
  }

  client(place: number): string {
    return this.#text(place, RECORD.client);
  }

  identity(place: number): string {
    return this.#text(place, RECORD.identity);
  }

  verdict(place: number): Verdict {
    return VERDICTS[this.#view.getUint8(this.#starts[place]! + RECORD.verdict)]!;
  }

  rebound(place: number): string {
    return this.#text(place, RECORD.rebound);
  }

  /** The name that was asked for on the wire and in lower case: lent until the next is asked for. */
  wireName(place: number): Uint8Array {
    const message = this.#message(place);
    if (skipName(message, HEADER, message.length) < 0) nameCopy[0] = 0;
    else copyName(message, HEADER, nameCopy);
    return nameCopy;
  }

  asksFor(place: number, part: string): boolean {
    const name = this.wireName(place);
    const length = name[0] === 0 ? -1 : dotted(name, nameDotted);
    return length < 0 ? nameText(name).includes(part) : has(nameDotted, length, part);
  }

  /** All that is known of a query. */
  query(place: number): LoggedQuery {
    const start = this.#starts[place]!, view = this.#view;
    const message = this.#message(place);
    const after = skipName(message, HEADER, message.length);
    const categories = view.getUint8(start + RECORD.categories);
    return {
      at: view.getFloat64(start + RECORD.at, true),
      client: this.client(place),
      clientPort: view.getUint16(start + RECORD.clientPort, true),
      identity: this.identity(place),
      local: this.#text(place, RECORD.local),
      name: nameText(this.wireName(place)),
      qtype: after < 0 ? 0 : word(message, after),
      qclass: after < 0 ? 0 : word(message, after + 2),
      verdict: this.verdict(place),
      by: this.#text(place, RECORD.by),
      categories: Array.from(
        { length: categories },
        (_, i) => this.#text(place, RECORD.bytes + 2 * i),
      ),
      upstream: this.#text(place, RECORD.upstream),
      ms: view.getUint32(start + RECORD.took, true) / 100,
      message,
      rebound: this.rebound(place),
    };
  }

  entry(place: number): LogEntry {
    return entryOf(this.query(place), this.id(place));
  }

  asked(): readonly Asked[] {
    const view = this.#view, starts = this.#starts, { texts } = this;
    const askers: { client: number; identity: number; counts: Uint32Array }[] = [];
    /** Of each text that is a client the asker that was met last. */
    const latest = new Uint32Array(texts.length);
    for (let place = 0; place < starts.length; place++) {
      const start = starts[place]!;
      const client = view.getUint16(start + RECORD.client, true);
      const identity = view.getUint16(start + RECORD.identity, true);
      let at = latest[client]!;
      const known = askers[at];
      if (known === undefined || known.client !== client || known.identity !== identity) {
        at = askers.findIndex((one) => one.client === client && one.identity === identity);
        if (at < 0) {
          at = askers.push({ client, identity, counts: new Uint32Array(VERDICTS.length) }) - 1;
        }
        latest[client] = at;
      }
      askers[at]!.counts[view.getUint8(start + RECORD.verdict)]!++;
    }
    return askers.map(({ client, identity, counts }): Asked => {
      const verdicts: Record<string, number> = {};
      for (let i = 0; i < counts.length; i++) {
        if (counts[i] !== 0) verdicts[VERDICTS[i]!] = counts[i]!;
      }
      return [texts[client]!, texts[identity]!, verdicts];
    });
  }

  without(gone: (place: number) => boolean): RecordBlock | null {
    const bytes = withoutRecords(this, gone);
    return bytes === null ? null : bytes === this.bytes ? this : RecordBlock.read(bytes);
  }

  #text(place: number, field: number): string {
    return this.texts[this.#view.getUint16(this.#starts[place]! + field, true)]!;
  }

  /** The answer; whatever stands where its id was. */
  #message(place: number): Uint8Array {
    const start = this.#starts[place]!;
    const at = messageStart(this.#view, start);
    return this.bytes.subarray(
      at - MESSAGE_ID,
      at + this.#view.getUint16(start + RECORD.length, true),
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

/** Where each record begins; null when one is not whole, or names a text that is not there. */
function findRecords(
  view: DataView,
  { end, texts }: { readonly end: number; readonly texts: number },
): Uint32Array | null {
  const size = view.getUint32(HEAD.size, true);
  if (size > (end - HEAD.bytes) / RECORD.bytes) return null;
  const starts = new Uint32Array(size);
  let at: number = HEAD.bytes;
  for (let place = 0; place < size; place++) {
    if (at + RECORD.bytes > end) return null;
    const next = afterRecord(view, at);
    if (next > end || view.getUint8(at + RECORD.verdict) >= VERDICTS.length) return null;
    if (!(Math.abs(view.getFloat64(at + RECORD.at, true)) <= LATEST)) return null;
    if (!Number.isSafeInteger(view.getFloat64(at + RECORD.id, true))) return null;
    for (let field: number = RECORD.client; field <= RECORD.rebound; field += 2) {
      if (field !== RECORD.clientPort && view.getUint16(at + field, true) >= texts) return null;
    }
    const answer = messageStart(view, at);
    for (let field = at + RECORD.bytes; field < answer; field += 2) {
      if (view.getUint16(field, true) >= texts) return null;
    }
    starts[place] = at;
    at = next;
  }
  return at === end ? starts : null;
}

/**
 * Writes a name from the wire as text, a byte for each letter; answers its length, or -1 when it has
 * bytes that text writes in another way. It must have passed {@link skipName}.
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

function has(text: Uint8Array, length: number, part: string): boolean {
  const first = part.charCodeAt(0), last = length - part.length;
  for (let from = 0; from <= last; from++) {
    if (text[from] !== first) continue;
    let i = 1;
    while (i < part.length && text[from + i] === part.charCodeAt(i)) i++;
    if (i === part.length) return true;
  }
  return false;
}
