/** Bytes of a response's head, and of the trailers of its body. */
export const MAX_HEAD_BYTES = 64 << 10;

/** A header by its name in lower case. */
export type Header = readonly [name: string, value: string];

/** How the end of a body is known (RFC 9112 section 6.3). */
export type Framing =
  | { readonly kind: "none" }
  | { readonly kind: "length"; readonly length: number }
  | { readonly kind: "chunked" }
  /** It ends with the connection. */
  | { readonly kind: "close" };

/** The head of a response. */
export interface ResponseHead {
  readonly status: number;
  readonly headers: readonly Header[];
  readonly framing: Framing;
  /** The connection may carry another request once the body has been read. */
  readonly keeps: boolean;
}

/** What a program said is no HTTP/1.1, or ends too early. */
export class HttpFault extends Error {}

/** The program ended the connection before its response was whole, as one that stops or crashes does. */
export class EndFault extends HttpFault {}

const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: [\t\x20-\x7e\x80-\xff]*)?$/;
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
/** The path and query of a request: nothing that could end its line. */
const TARGET = /^\/[\x21-\x7e]*$/;

/**
 * Reads the head of a response, a character for each byte, up to and with its empty line. Where two
 * readers could see two different ends of the body, it is refused. Throws {@link HttpFault}.
 */
export function parseHead(text: string, method: string): ResponseHead {
  const lines = text.split("\n").map((line) => line.endsWith("\r") ? line.slice(0, -1) : line);
  const [, minor, code] = STATUS_LINE.exec(lines[0]!) ?? [];
  if (code === undefined) throw new HttpFault("The response is not HTTP/1.1");
  const headers: Header[] = [];
  for (let at = 1; at < lines.length && lines[at] !== ""; at++) {
    const line = lines[at]!, colon = line.indexOf(":");
    const name = line.slice(0, Math.max(colon, 0)), value = withoutSpace(line.slice(colon + 1));
    if (!NAME.test(name) || !VALUE.test(value)) {
      throw new HttpFault("The response has a malformed header");
    }
    headers.push([name.toLowerCase(), value]);
  }
  const status = Number(code);
  const framing = framingOf(status, method, { isOld: minor === "0", headers });
  const keeps = minor === "1" && framing.kind !== "close" &&
    !headers.some(([name, value]) => name === "connection" && /(^|,)\s*close\s*(,|$)/i.test(value));
  return { status, headers, framing, keeps };
}

function framingOf(
  status: number,
  method: string,
  { isOld, headers }: { readonly isOld: boolean; readonly headers: readonly Header[] },
): Framing {
  const valuesOf = (wanted: string): readonly string[] =>
    headers.flatMap(([name, value]) => name === wanted ? value.split(",") : [])
      .map((value) => value.trim());
  const codings = valuesOf("transfer-encoding"), lengths = valuesOf("content-length");
  // What could be read in two ways is refused, also where no body follows.
  if (codings.length > 0) {
    const isChunked = codings.length === 1 && codings[0]!.toLowerCase() === "chunked";
    if (!isChunked || isOld) throw new HttpFault("The response has an unknown transfer coding");
    if (lengths.length > 0) throw new HttpFault("The response has a length and a transfer coding");
  }
  const [length] = lengths;
  if (length !== undefined && (lengths.length > 1 || !/^\d{1,15}$/.test(length))) {
    throw new HttpFault("The response has a malformed length");
  }
  if (method === "HEAD" || status < 200 || status === 204 || status === 304) {
    return { kind: "none" };
  }
  if (codings.length > 0) return { kind: "chunked" };
  return length === undefined ? { kind: "close" } : { kind: "length", length: Number(length) };
}

/** Without the spaces and tabs around it; other white space belongs to a malformed value. */
function withoutSpace(text: string): string {
  let from = 0, to = text.length;
  const isSpace = (at: number): boolean => text[at] === " " || text[at] === "\t";
  while (from < to && isSpace(from)) from++;
  while (to > from && isSpace(to - 1)) to--;
  return text.slice(from, to);
}

/** Bytes of the next chunk, by its line without the line's end. Throws {@link HttpFault}. */
export function chunkSize(line: string): number {
  const size = /^([0-9A-Fa-f]{1,12})[ \t]*(?:;[\t\x20-\x7e\x80-\xff]*)?$/.exec(line)?.[1];
  if (size === undefined) throw new HttpFault("The response has a malformed chunk");
  return parseInt(size, 16);
}

/**
 * The head of a request, a character for each byte. `length`: of its body, null for one in chunks,
 * absent for none. Throws where a part could end its line: nothing that a client sends may begin a second
 * request.
 */
export function requestHead(
  method: string,
  target: string,
  { headers, length }: { readonly headers: readonly Header[]; readonly length?: number | null },
): string {
  if (!NAME.test(method) || !TARGET.test(target)) throw new Error("The request line is malformed");
  let text = `${method} ${target} HTTP/1.1\r\n`;
  for (const [name, value] of headers) {
    if (!NAME.test(name) || !VALUE.test(value)) throw new Error("A header is malformed");
    text += `${name}: ${value}\r\n`;
  }
  if (length === null) text += "transfer-encoding: chunked\r\n";
  else if (length !== undefined) text += `content-length: ${length}\r\n`;
  return `${text}\r\n`;
}

/** A path and query as they may stand in a request line: what may not is percent-encoded. */
export function asTarget(path: string): string {
  return TARGET.test(path) && !/["<>]/.test(path)
    ? path
    : path.replace(/[^\x21-\x7e]|["<>]/gu, encodeURIComponent);
}
