import type { OverrideRef } from "../../block/verdict/verdict_schema.ts";
import {
  HEAD,
  MESSAGE_ID,
  MOST_CATEGORIES,
  MOST_MESSAGE,
  MOST_TEXT,
  PER_MILLISECOND,
  RECORD,
  writeHead,
} from "./format.ts";
import { type Verdict, VERDICTS } from "../schema.ts";
import type { QueryRecord } from "../writer/sink.ts";

/** Bytes of records in one block: some two thousand queries. */
const ROOM = 256 * 1024;
/** Bytes of texts from which on a block takes no more, and room for those of one more query. */
const TEXTS = 64 * 1024, TEXT_ROOM = TEXTS + (6 + MOST_CATEGORIES) * (3 * MOST_TEXT + 2);
/** Bytes of a message up to which a loop copies them in less time than it takes to have them copied. */
const BY_HAND = 160;
/** Most hundredths of a millisecond that fit. */
const MOST_TOOK = 0xffff_ffff;

const PLACES = Object.fromEntries(VERDICTS.map((verdict, place) => [verdict, place])) as Readonly<
  Record<Verdict, number>
>;

/** What is known of an address that asked, to be found with one look. */
interface AskerPlace {
  readonly place: number;
  identity: string;
  identityPlace: number;
  local: string;
  localPlace: number;
}

/**
 * Writes queries one behind the other into memory that it made once. Numbers each of them: ids grow
 * with time, also when the clock is put back.
 */
export class BlockWriter {
  readonly #bytes = new Uint8Array(ROOM);
  readonly #view = new DataView(this.#bytes.buffer);
  readonly #texts = new Uint8Array(TEXT_ROOM);
  readonly #encoder = new TextEncoder();
  readonly #places = new Map<string, number>();
  readonly #overrides = new Map<OverrideRef, number>();
  readonly #askers = new Map<string, AskerPlace>();
  /** Who asked last, which is mostly who asks next. */
  #client = "";
  #asked: AskerPlace | undefined;
  #textsEnd = 0;
  #count = 0;
  #used: number = HEAD.bytes;
  #size = 0;
  #first = 0;
  #last: number;

  /** `last`: the highest id that was given so far. */
  constructor(last: number) {
    this.#last = last;
  }

  get size(): number {
    return this.#size;
  }

  /** The highest id that was given so far. */
  get last(): number {
    return this.#last;
  }

  /** Ids go on above this one. */
  goOn(last: number): void {
    this.#last = Math.max(this.#last, last);
  }

  /** Writes a query; false when it has no room until the block is taken out. */
  add(query: QueryRecord): boolean {
    const { message, categories } = query;
    const length = Math.max(0, Math.min(query.length, MOST_MESSAGE) - MESSAGE_ID);
    const categoryCount = Math.min(categories.length, MOST_CATEGORIES);
    const at = this.#used;
    const start = at + RECORD.bytes + 2 * categoryCount;
    if (start + length > ROOM || this.#textsEnd > TEXTS) return false;
    const asker = this.#asker(query);
    const view = this.#view, { by } = query;
    const least = Math.floor(query.at) * PER_MILLISECOND;
    const id = this.#last = this.#last < least ? least : this.#last + 1;
    if (this.#size++ === 0) this.#first = id;
    view.setFloat64(at + RECORD.id, id, true);
    view.setFloat64(at + RECORD.at, query.at, true);
    view.setUint32(at + RECORD.took, Math.min(Math.round(query.ms * 100), MOST_TOOK), true);
    view.setUint16(at + RECORD.client, asker.place, true);
    view.setUint16(at + RECORD.clientPort, query.clientPort, true);
    view.setUint16(at + RECORD.identity, asker.identityPlace, true);
    view.setUint16(at + RECORD.local, asker.localPlace, true);
    const decider = typeof by === "string" ? this.#place(by) : this.#override(by);
    view.setUint16(at + RECORD.by, decider, true);
    view.setUint16(at + RECORD.upstream, this.#place(query.upstream), true);
    view.setUint16(at + RECORD.rebound, this.#place(query.rebound), true);
    view.setUint8(at + RECORD.verdict, PLACES[query.verdict]);
    view.setUint8(at + RECORD.categories, categoryCount);
    view.setUint16(at + RECORD.length, length, true);
    for (let i = 0; i < categoryCount; i++) {
      view.setUint16(at + RECORD.bytes + 2 * i, this.#place(categories[i]!), true);
    }
    if (length > BY_HAND) {
      this.#bytes.set(message.subarray(MESSAGE_ID, MESSAGE_ID + length), start);
    } else {
      const bytes = this.#bytes;
      for (let i = 0; i < length; i++) bytes[start + i] = message[MESSAGE_ID + i]!;
    }
    this.#used = start + length;
    return true;
  }

  /** Takes out what was written, in memory of its own; null for nothing. */
  take(): Uint8Array<ArrayBuffer> | null {
    if (this.#size === 0) return null;
    const block = new Uint8Array(this.#used + this.#textsEnd);
    block.set(this.#bytes.subarray(0, this.#used));
    block.set(this.#texts.subarray(0, this.#textsEnd), this.#used);
    writeHead(block, { size: this.#size, texts: this.#used, first: this.#first, last: this.#last });
    this.#places.clear();
    this.#overrides.clear();
    this.#askers.clear();
    this.#asked = undefined;
    this.#count = this.#textsEnd = this.#size = 0;
    this.#used = HEAD.bytes;
    return block;
  }

  #asker({ client, identity, local }: QueryRecord): AskerPlace {
    let asker = client === this.#client ? this.#asked : this.#askers.get(client);
    if (asker === undefined) {
      const place = this.#place(client);
      asker = { place, identity: "", identityPlace: 0, local: "", localPlace: 0 };
      this.#askers.set(client, asker);
    }
    this.#client = client;
    this.#asked = asker;
    if (asker.identity !== identity) {
      asker.identity = identity;
      asker.identityPlace = this.#place(identity);
    }
    if (asker.local !== local) {
      asker.local = local;
      asker.localPlace = this.#place(local);
    }
    return asker;
  }

  #override(by: OverrideRef): number {
    let place = this.#overrides.get(by);
    if (place === undefined) {
      const { list, domain } = by.override;
      this.#overrides.set(by, place = this.#place(`${list}: ${domain}`));
    }
    return place;
  }

  #place(text: string): number {
    if (text === "") return 0;
    let place = this.#places.get(text);
    if (place === undefined) {
      const at = this.#textsEnd;
      const { written } = this.#encoder.encodeInto(
        text.length > MOST_TEXT ? text.slice(0, MOST_TEXT) : text,
        this.#texts.subarray(at + 2),
      );
      this.#texts[at] = written & 0xff;
      this.#texts[at + 1] = written >>> 8;
      this.#textsEnd = at + 2 + written;
      this.#places.set(text, place = ++this.#count);
    }
    return place;
  }
}
