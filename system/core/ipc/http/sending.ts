import { Buffer } from "node:buffer";
import { type Header, requestHead } from "./head.ts";

/** What bytes are written to. */
export interface ByteSink {
  write(bytes: Uint8Array): Promise<number>;
}

/** A request as it is sent. */
export interface HttpRequest {
  readonly method: string;
  /** Path and query, as `asTarget` has them. */
  readonly target: string;
  readonly headers: readonly Header[];
  readonly body: Uint8Array | StreamedBody | null;
  /**
   * Where a connection that was kept ends without an answer: `again` sends it once more over a new one,
   * `once` fails, and `never` takes no such connection. Default: `again` for what asks for nothing to be
   * done by its method, else `never`.
   */
  readonly reuse?: "again" | "once" | "never" | undefined;
}

/** A body that is sent as it comes. */
export interface StreamedBody {
  readonly stream: ReadableStream<Uint8Array<ArrayBuffer>>;
  /** Bytes, where the client said; null: it goes in chunks. */
  readonly length: number | null;
  /** Called with the bytes of each piece that was sent. */
  readonly progress: (bytes: number) => void;
  /** Called where the next piece lets itself be waited for. */
  readonly starves?: () => void;
  /** Called once nothing more of it is read. */
  readonly over?: () => void;
}

/** The body could not be read to its end: what was sent of it must not look whole. */
export class SourceFault extends Error {}

/** The program takes no more of a request. */
export class WriteFault extends Error {}

/** A request whose head is ready to be sent. */
export interface PreparedRequest {
  readonly method: string;
  readonly head: Uint8Array;
  readonly body: HttpRequest["body"];
}

/** Bytes of a body that are in memory at a time. */
const PIECE = 64 << 10;
/** Milliseconds after which a piece that has not come is not among what is here already. */
const STARVING_MS = 5;
/** What stands before and behind a chunk: its size in hex and CR LF, and CR LF. */
const BEFORE = 10, BEHIND = 2;
const CR = 0x0d, LF = 0x0a;
const ENCODER = new TextEncoder();

/** Makes the head of a request. Throws where a part is malformed; a streamed body is cancelled then. */
export function prepareRequest({ method, target, headers, body }: HttpRequest): PreparedRequest {
  try {
    const hasLength = body !== null || !["GET", "HEAD"].includes(method);
    const length = hasLength ? { length: body?.length ?? (isStreamed(body) ? null : 0) } : {};
    return { method, head: bytesOf(requestHead(method, target, { headers, ...length })), body };
  } catch (error) {
    if (isStreamed(body)) {
      void body.stream.cancel(error).catch(() => {});
      body.over?.();
    }
    throw error;
  }
}

/**
 * Writes a request. One piece of a streamed body is in memory at a time, and the next is read once it is
 * written. Throws {@link WriteFault} where the program takes no more, {@link SourceFault} where the body
 * ends early or has another length than was said, and what taking the stream throws.
 */
export async function sendRequest(
  sink: ByteSink,
  { head, body }: PreparedRequest,
): Promise<void> {
  if (!isStreamed(body)) {
    return await writeAll(sink, body?.length ? Buffer.concat([head, body]) : head);
  }
  try {
    const reader = readerOf(body.stream);
    try {
      await writeAll(sink, head);
      await sendPieces(sink, reader, body);
    } catch (error) {
      reader.cancel(error);
      throw error;
    }
  } finally {
    body.over?.();
  }
}

function isStreamed(body: HttpRequest["body"]): body is StreamedBody {
  return body !== null && !(body instanceof Uint8Array);
}

/** A byte for each character. */
function bytesOf(text: string): Uint8Array {
  return /^[\0-\x7f]*$/.test(text) ? ENCODER.encode(text) : Buffer.from(text, "latin1");
}

async function sendPieces(
  sink: ByteSink,
  reader: PieceReader,
  { length, progress, starves }: StreamedBody,
): Promise<void> {
  for (let sent = 0;;) {
    const piece = await readPiece(reader, starves);
    sent += piece?.length ?? 0;
    if (length !== null && (piece === null ? sent !== length : sent > length)) {
      throw new SourceFault("The body has another length than was announced");
    }
    if (piece === null) {
      if (length === null) await writeAll(sink, Buffer.from("0\r\n\r\n"));
      return;
    }
    await writeAll(sink, length === null ? inChunk(piece) : piece);
    progress(piece.length);
  }
}

async function readPiece(
  reader: PieceReader,
  starves: StreamedBody["starves"],
): Promise<Uint8Array<ArrayBuffer> | null> {
  const timer = starves && setTimeout(starves, STARVING_MS);
  try {
    return await reader.read();
  } catch (error) {
    throw new SourceFault("The body is incomplete", { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

/** A piece of a body, with room before and behind it in its buffer; null at the end. */
interface PieceReader {
  read(): Promise<Uint8Array<ArrayBuffer> | null>;
  cancel(why: unknown): void;
}

/** Reads into one buffer over and over, where the stream lets it. */
function readerOf(stream: StreamedBody["stream"]): PieceReader {
  let buffer = new ArrayBuffer(BEFORE + PIECE + BEHIND);
  const byob = bufferReader(stream);
  if (byob !== null) {
    return {
      async read() {
        const { done, value } = await byob.read(new Uint8Array(buffer, BEFORE, PIECE));
        if (value !== undefined) buffer = value.buffer;
        return done ? null : value;
      },
      cancel: (why) => void byob.cancel(why).catch(() => {}),
    };
  }
  const plain = stream.getReader();
  let rest: Uint8Array<ArrayBuffer> = new Uint8Array(0);
  return {
    async read() {
      while (rest.length === 0) {
        const { done, value } = await plain.read();
        if (done) return null;
        rest = value;
      }
      const piece = new Uint8Array(buffer, BEFORE, Math.min(rest.length, PIECE));
      piece.set(rest.subarray(0, piece.length));
      rest = rest.subarray(piece.length);
      return piece;
    },
    cancel: (why) => void plain.cancel(why).catch(() => {}),
  };
}

/** Null for a stream that gives its own buffers alone. */
function bufferReader(stream: StreamedBody["stream"]): ReadableStreamBYOBReader | null {
  try {
    return stream.getReader({ mode: "byob" });
  } catch {
    return null;
  }
}

/** A piece as a chunk (RFC 9112 section 7.1), in the buffer that it has. */
function inChunk(piece: Uint8Array<ArrayBuffer>): Uint8Array {
  const size = `${piece.length.toString(16)}\r\n`, start = BEFORE - size.length;
  const whole = new Uint8Array(piece.buffer);
  for (let at = 0; at < size.length; at++) whole[start + at] = size.charCodeAt(at);
  const end = BEFORE + piece.length;
  whole[end] = CR;
  whole[end + 1] = LF;
  return whole.subarray(start, end + BEHIND);
}

async function writeAll(sink: ByteSink, bytes: Uint8Array): Promise<void> {
  try {
    for (let done = 0; done < bytes.length;) done += await sink.write(bytes.subarray(done));
  } catch (error) {
    throw new WriteFault("The program takes no more of the request", { cause: error });
  }
}
