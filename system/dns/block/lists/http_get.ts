import type { ByteStream } from "../../../core/net/transport.ts";

/** Bytes of a status line and of all headers together at most. */
const MOST_HEAD = 64 << 10;
/** Bytes of the line before a chunk at most. */
const MOST_CHUNK_LINE = 256;

/** Packed bytes that are unpacked at once. */
const MOST_PACKED = 1024;

/** An answer whose body comes as it is read. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>>;
}

/**
 * Asks for a URL over a connection that is used for nothing else (HTTP/1.1, RFC 9112). `fetch` is no
 * choice here: it looks the host up by the system's resolver, whatever address was checked before.
 * Throws when what comes is no HTTP, and while the body is read when it breaks off.
 */
export async function httpGet(
  stream: ByteStream,
  url: URL,
  headers: Readonly<Record<string, string>>,
): Promise<HttpAnswer> {
  const lines = [
    `GET ${url.pathname}${url.search} HTTP/1.1`,
    `Host: ${url.host}`,
    "Connection: close",
    "Accept-Encoding: gzip",
    ...Object.entries(headers).map(([name, value]) =>
      `${name}: ${value.replaceAll(/[\r\n]/g, "")}`
    ),
  ];
  await stream.write(new TextEncoder().encode(`${lines.join("\r\n")}\r\n\r\n`));
  const reader = new ByteReader(stream);
  for (;;) {
    const head = await readHead(reader);
    // Interim answers (RFC 9110 15.2) come before the one that counts.
    if (head.status >= 200) return { ...head, body: bodyOf(reader, head) };
  }
}

type Head = Pick<HttpAnswer, "status" | "headers">;

async function readHead(reader: ByteReader): Promise<Head> {
  const status = /^HTTP\/1\.[01] ([1-5]\d\d)( |$)/.exec(await reader.line(MOST_HEAD))?.[1];
  if (status === undefined) throw new Error("This is no HTTP");
  const headers = new Headers();
  for (let left = MOST_HEAD;;) {
    const line = await reader.line(left);
    if (line === "") return { status: Number(status), headers };
    left -= line.length + 2;
    const [, name, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*)$/.exec(line) ?? [];
    if (name === undefined) throw new Error("A header is malformed");
    headers.append(name, value!.trimEnd());
  }
}

function bodyOf(reader: ByteReader, head: Head): HttpAnswer["body"] {
  const encoding = head.headers.get("content-encoding")?.trim().toLowerCase() ?? "identity";
  if (encoding === "identity" || encoding === "") {
    return ReadableStream.from(bytesOf(reader, head));
  }
  if (encoding !== "gzip") throw new Error("The encoding was not asked for");
  const parts = ReadableStream.from(inParts(bytesOf(reader, head)));
  return parts.pipeThrough(new DecompressionStream("gzip"));
}

/** What is unpacked comes at once for each part, and may be a thousand times as large. */
async function* inParts(
  packed: AsyncIterable<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  for await (const bytes of packed) {
    for (let at = 0; at < bytes.length; at += MOST_PACKED) {
      yield bytes.subarray(at, at + MOST_PACKED);
    }
  }
}

async function* bytesOf(
  reader: ByteReader,
  { status, headers }: Head,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  if (status === 204 || status === 304) return;
  const coding = headers.get("transfer-encoding");
  if (coding !== null) {
    if (coding.trim().toLowerCase() !== "chunked") throw new Error("The coding is unknown");
    return yield* chunks(reader);
  }
  const length = headers.get("content-length");
  if (length === null) return yield* reader.rest();
  if (!/^\d{1,15}$/.test(length)) throw new Error("The length is malformed");
  yield* reader.exactly(Number(length));
}

async function* chunks(reader: ByteReader): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  for (;;) {
    const size = /^([0-9A-Fa-f]{1,8})[ \t]*(;|$)/.exec(await reader.line(MOST_CHUNK_LINE))?.[1];
    if (size === undefined) throw new Error("A chunk is malformed");
    const length = parseInt(size, 16);
    // What may follow the last chunk is of no use here, and the connection ends.
    if (length === 0) return;
    yield* reader.exactly(length);
    if (await reader.line(MOST_CHUNK_LINE) !== "") {
      throw new Error("A chunk is longer than it said");
    }
  }
}

/** Bytes of a stream, taken by lines or by number. */
class ByteReader {
  readonly #stream: ByteStream;
  readonly #buffer = new Uint8Array(64 << 10);
  /** Headers are no UTF-8 (RFC 9110 5.5). */
  readonly #decoder = new TextDecoder("latin1");
  #from = 0;
  #to = 0;

  constructor(stream: ByteStream) {
    this.#stream = stream;
  }

  /** A line without its end. Throws when it is longer, or the stream ends before it does. */
  async line(most: number): Promise<string> {
    let text = "";
    for (;;) {
      await this.#fill();
      const end = this.#buffer.subarray(this.#from, this.#to).indexOf(0x0a);
      const bytes = this.#take(end < 0 ? Infinity : end + 1);
      if (text.length + bytes.length > most + 2) throw new Error("A line is too long");
      text += this.#decoder.decode(bytes);
      if (end >= 0) return text.replace(/\r?\n$/, "");
    }
  }

  /** So many bytes, as they come. Throws when the stream ends before. */
  async *exactly(length: number): AsyncGenerator<Uint8Array<ArrayBuffer>> {
    for (let left = length; left > 0;) {
      await this.#fill();
      const bytes = this.#take(left);
      left -= bytes.length;
      yield bytes;
    }
  }

  /** Everything up to the end of the stream. */
  async *rest(): AsyncGenerator<Uint8Array<ArrayBuffer>> {
    while (await this.#more()) yield this.#take(Infinity);
  }

  #take(most: number): Uint8Array<ArrayBuffer> {
    const end = Math.min(this.#to, this.#from + most);
    const bytes = this.#buffer.slice(this.#from, end);
    this.#from = end;
    return bytes;
  }

  async #fill(): Promise<void> {
    if (!await this.#more()) throw new Error("The connection ended too early");
  }

  /** False at the end of the stream. */
  async #more(): Promise<boolean> {
    if (this.#from < this.#to) return true;
    const size = await this.#stream.read(this.#buffer);
    this.#from = 0;
    this.#to = size ?? 0;
    return size !== null;
  }
}
