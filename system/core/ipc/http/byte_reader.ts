import { EndFault, HttpFault, MAX_HEAD_BYTES } from "./head.ts";

/** What bytes are read from: null at its end. */
export interface ByteSource {
  read(buffer: Uint8Array): Promise<number | null>;
}

/** Bytes that a connection reads at once, at first and once it is seen to carry much. */
const SMALL_BUFFER = 8 << 10, LARGE_BUFFER = 64 << 10;
const LINE_FEED = 0x0a, CARRIAGE_RETURN = 0x0d;

/** Reads a connection by heads, lines and numbers of bytes. Throws {@link HttpFault} for too much of one. */
export class ByteReader {
  readonly #source: ByteSource;
  #buffer = new Uint8Array(SMALL_BUFFER);
  #from = 0;
  #to = 0;
  /** A read that was begun before a request was sent. */
  #early: Promise<number | null> | null = null;

  constructor(source: ByteSource) {
    this.#source = source;
  }

  /** True where bytes are here that nobody has taken. */
  get hasRest(): boolean {
    return this.#from < this.#to;
  }

  /** Bytes that are here. */
  get waiting(): number {
    return this.#to - this.#from;
  }

  /** Begins to read, so that the end of the connection, or a response without a request, is seen at once. */
  ahead(): Promise<number | null> {
    if (this.#buffer.length > SMALL_BUFFER) this.#buffer = new Uint8Array(SMALL_BUFFER);
    this.#from = this.#to = 0;
    return this.#early = this.#source.read(this.#buffer);
  }

  /** A head up to and with its empty line, a character for each byte; null where nothing came any more. */
  async head(): Promise<string | null> {
    /** Counted from the first byte of the head, since the buffer moves. */
    let lineStart = 0, seen = 0;
    for (;;) {
      const end = this.#buffer.indexOf(LINE_FEED, this.#from + seen) - this.#from;
      if (end < 0 || end >= this.waiting) {
        seen = this.waiting;
        if (seen >= MAX_HEAD_BYTES) throw new HttpFault("The head of the response is too large");
        if (await this.more()) continue;
        if (seen === 0) return null;
        throw new EndFault("The response ended in its head");
      }
      const isEmpty = end === lineStart ||
        end === lineStart + 1 && this.#buffer[this.#from + lineStart] === CARRIAGE_RETURN;
      seen = lineStart = end + 1;
      if (isEmpty) return this.#text(seen);
    }
  }

  /** A line without its CR LF. */
  async line(most: number): Promise<string> {
    for (let seen = 0;;) {
      const end = this.#buffer.indexOf(LINE_FEED, this.#from + seen) - this.#from;
      if (end < 0 || end >= this.waiting) {
        seen = this.waiting;
        if (seen > most) throw new HttpFault("The response has a line that is too long");
        if (!await this.more()) throw new EndFault("The response ended too early");
        continue;
      }
      if (end === 0 || this.#buffer[this.#from + end - 1] !== CARRIAGE_RETURN || end > most + 1) {
        throw new HttpFault("The response has a malformed line");
      }
      return this.#text(end + 1).slice(0, -2);
    }
  }

  /** Up to so many of the bytes that are here, as a copy. */
  take(most: number): Uint8Array<ArrayBuffer> {
    const end = Math.min(this.#to, this.#from + most);
    const bytes = this.#buffer.slice(this.#from, end);
    this.#from = end;
    return bytes;
  }

  /** Reads on; false at the end. */
  async more(): Promise<boolean> {
    if (this.#early === null) this.#makeRoom();
    const reading = this.#early ?? this.#source.read(this.#buffer.subarray(this.#to));
    const size = await reading;
    if (this.#early === reading) this.#early = null;
    if (size === null) return false;
    this.#to += size;
    return true;
  }

  /** Room behind what is here. A full buffer tells that much is on its way: the next is larger. */
  #makeRoom(): void {
    const { length } = this.#buffer, isFull = this.#to === length;
    const kept = this.#buffer.subarray(this.#from, this.#to);
    if (isFull && (length < LARGE_BUFFER || kept.length === length)) {
      this.#buffer = new Uint8Array(length * 2);
    } else if (!isFull && kept.length > 0) return;
    this.#buffer.set(kept);
    this.#from = 0;
    this.#to = kept.length;
  }

  #text(length: number): string {
    const bytes = this.#buffer.subarray(this.#from, this.#from + length);
    this.#from += length;
    let text = "";
    for (let at = 0; at < bytes.length; at += SMALL_BUFFER) {
      const part = bytes.subarray(at, at + SMALL_BUFFER);
      text += String.fromCharCode.apply(null, part as unknown as number[]);
    }
    return text;
  }
}
