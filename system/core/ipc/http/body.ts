import type { ByteReader } from "./byte_reader.ts";
import { chunkSize, EndFault, type Framing, HttpFault, MAX_HEAD_BYTES } from "./head.ts";

/** Bytes of the line before a chunk, extensions included. */
const MAX_CHUNK_LINE_BYTES = 1024;

/** The body of a response, piece by piece. */
export class BodyReader {
  readonly #reader: ByteReader;
  readonly #framing: Framing;
  /** Bytes until the end of the body or chunk. */
  #left: number;
  #isFirst = true;
  #isOver: boolean;

  constructor(reader: ByteReader, framing: Framing) {
    this.#reader = reader;
    this.#framing = framing;
    this.#left = framing.kind === "length" ? framing.length : 0;
    this.#isOver = framing.kind === "none" || framing.kind === "length" && framing.length === 0;
  }

  /** Nothing is left to be read. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** The whole rest, where its length is known and it is here already; else null. */
  here(most: number): Uint8Array<ArrayBuffer> | null {
    if (this.#framing.kind !== "length" || this.#left > most) return null;
    if (this.#reader.waiting < this.#left) return null;
    this.#isOver = true;
    return this.#reader.take(this.#left);
  }

  /** The next bytes; null at the end. Throws {@link HttpFault}. */
  async next(): Promise<Uint8Array<ArrayBuffer> | null> {
    if (this.#isOver) return null;
    if (this.#framing.kind === "close") {
      if (this.#reader.hasRest || await this.#reader.more()) return this.#reader.take(Infinity);
      this.#isOver = true;
      return null;
    }
    if (this.#framing.kind === "chunked" && this.#left === 0 && !await this.#chunk()) return null;
    if (!this.#reader.hasRest && !await this.#reader.more()) {
      throw new EndFault("The response ended too early");
    }
    const bytes = this.#reader.take(this.#left);
    this.#left -= bytes.length;
    if (this.#left === 0 && this.#framing.kind === "length") this.#isOver = true;
    return bytes;
  }

  /** Reads up to the bytes of the next chunk; false where the last one was read. */
  async #chunk(): Promise<boolean> {
    const line = () => this.#reader.line(MAX_CHUNK_LINE_BYTES);
    if (!this.#isFirst && await line() !== "") {
      throw new HttpFault("The response has a chunk of a wrong length");
    }
    this.#isFirst = false;
    this.#left = chunkSize(await line());
    if (this.#left > 0) return true;
    // Trailers: nothing is done with them.
    for (let left = MAX_HEAD_BYTES;;) {
      const trailer = await this.#reader.line(left);
      if (trailer === "") break;
      left -= trailer.length + 2;
    }
    this.#isOver = true;
    return false;
  }
}
