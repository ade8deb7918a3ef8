import type { ByteStream } from "./transport.ts";

/** Maximum size of a status line, and of all headers. */
const MAX_HEAD_BYTES = 64 << 10;
const MAX_CHUNK_LINE_BYTES = 256;

/** Compressed bytes that are decompressed at a time. */
const COMPRESSED_CHUNK_BYTES = 1024;

/** A response with a streamed body. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>>;
}

/** A request: headers beside those of the connection, and the body of a POST. */
export interface HttpRequest {
  readonly headers: Readonly<Record<string, string>>;
  /** Absent: a GET. */
  readonly body?: Uint8Array;
}

/**
 * Requests a URL over a connection of its own (HTTP/1.1, RFC 9112). `fetch` would resolve the host again
 * by the system's resolver, whatever address was checked before. Throws on an invalid response; reading
 * the body throws when the connection is interrupted.
 */
export async function httpRequest(
  stream: ByteStream,
  url: URL,
  { headers, body }: HttpRequest,
): Promise<HttpResponse> {
  const lines = [
    `${body === undefined ? "GET" : "POST"} ${url.pathname}${url.search} HTTP/1.1`,
    `Host: ${url.host}`,
    "Connection: close",
    "Accept-Encoding: gzip",
    ...(body === undefined ? [] : [`Content-Length: ${body.length}`]),
    ...Object.entries(headers).map(([name, value]) =>
      `${name}: ${value.replaceAll(/[\r\n]/g, "")}`
    ),
  ];
  await stream.write(new TextEncoder().encode(`${lines.join("\r\n")}\r\n\r\n`));
  if (body !== undefined) await stream.write(body);
  const reader = new ByteReader(stream);
  for (;;) {
    const head = await readHead(reader);
    // Interim responses (RFC 9110 15.2) precede the final one.
    if (head.status >= 200) return { ...head, body: bodyOf(reader, head) };
  }
}

type ResponseHead = Pick<HttpResponse, "status" | "headers">;

async function readHead(reader: ByteReader): Promise<ResponseHead> {
  const status = /^HTTP\/1\.[01] ([1-5]\d\d)( |$)/.exec(await reader.line(MAX_HEAD_BYTES))?.[1];
  if (status === undefined) throw new Error("The response is not HTTP");
  const headers = new Headers();
  for (let left = MAX_HEAD_BYTES;;) {
    const line = await reader.line(left);
    if (line === "") return { status: Number(status), headers };
    left -= line.length + 2;
    const [, name, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*)$/.exec(line) ?? [];
    if (name === undefined) throw new Error("The response has a malformed header");
    headers.append(name, value!.trimEnd());
  }
}

function bodyOf(reader: ByteReader, head: ResponseHead): HttpResponse["body"] {
  const encoding = head.headers.get("content-encoding")?.trim().toLowerCase() ?? "identity";
  if (encoding === "identity" || encoding === "") {
    return ReadableStream.from(bytesOf(reader, head));
  }
  if (encoding !== "gzip") throw new Error("The response has an unsupported content encoding");
  const parts = ReadableStream.from(inParts(bytesOf(reader, head)));
  return parts.pipeThrough(new DecompressionStream("gzip"));
}

/** Small parts, since each is decompressed at once to up to a thousand times its size. */
async function* inParts(
  compressed: AsyncIterable<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  for await (const bytes of compressed) {
    for (let at = 0; at < bytes.length; at += COMPRESSED_CHUNK_BYTES) {
      yield bytes.subarray(at, at + COMPRESSED_CHUNK_BYTES);
    }
  }
}

async function* bytesOf(
  reader: ByteReader,
  { status, headers }: ResponseHead,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  if (status === 204 || status === 304) return;
  const coding = headers.get("transfer-encoding");
  if (coding !== null) {
    if (coding.trim().toLowerCase() !== "chunked") {
      throw new Error("The response has an unsupported transfer coding");
    }
    return yield* chunks(reader);
  }
  const length = headers.get("content-length");
  if (length === null) return yield* reader.rest();
  if (!/^\d{1,15}$/.test(length)) throw new Error("The response has a malformed length");
  yield* reader.exactly(Number(length));
}

async function* chunks(reader: ByteReader): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  for (;;) {
    const size = /^([0-9A-Fa-f]{1,8})[ \t]*(;|$)/.exec(await reader.line(MAX_CHUNK_LINE_BYTES))
      ?.[1];
    if (size === undefined) throw new Error("The response has a malformed chunk");
    const length = parseInt(size, 16);
    // Trailers are ignored, since the connection is closed.
    if (length === 0) return;
    yield* reader.exactly(length);
    if (await reader.line(MAX_CHUNK_LINE_BYTES) !== "") {
      throw new Error("The response has a chunk of a wrong length");
    }
  }
}

/** Reads a stream by lines or by number of bytes. */
class ByteReader {
  readonly #stream: ByteStream;
  readonly #buffer = new Uint8Array(64 << 10);
  /** Headers are not UTF-8 (RFC 9110 5.5). */
  readonly #decoder = new TextDecoder("latin1");
  #from = 0;
  #to = 0;

  constructor(stream: ByteStream) {
    this.#stream = stream;
  }

  /** A line without its end. Throws when it is too long or the stream ends before it. */
  async line(maxLength: number): Promise<string> {
    let text = "";
    for (;;) {
      await this.#fill();
      const end = this.#buffer.subarray(this.#from, this.#to).indexOf(0x0a);
      const bytes = this.#take(end < 0 ? Infinity : end + 1);
      if (text.length + bytes.length > maxLength + 2) {
        throw new Error("The response has a line that is too long");
      }
      text += this.#decoder.decode(bytes);
      if (end >= 0) return text.replace(/\r?\n$/, "");
    }
  }

  /** The next `length` bytes. Throws when the stream ends before. */
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

  #take(max: number): Uint8Array<ArrayBuffer> {
    const end = Math.min(this.#to, this.#from + max);
    const bytes = this.#buffer.slice(this.#from, end);
    this.#from = end;
    return bytes;
  }

  async #fill(): Promise<void> {
    if (!await this.#more()) throw new Error("The connection was closed too early");
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
