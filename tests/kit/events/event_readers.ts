/**
 * Reads the events of a router over many connections, as cheaply as can be: `event_readers.ts
 * <sse|ws|notices> <connections> <port> <user:password> <events> <address>…`. Prints `open` once every
 * connection is a reader, and at the end a line of JSON: how many connections received all events,
 * and how many events the others lack.
 */
import { Buffer } from "node:buffer";

const [kind, connections, port, login = "", expected, ...addresses] = Deno.args;
const total = Number(expected);
const encoder = new TextEncoder();
/** What stands in each event once. */
const MARK = kind === "sse"
  ? "\nevent: of:bench\n"
  : `"Type":"${kind === "notices" ? "plugin:bench" : "of:bench"}"`;
const READY = kind === "sse" ? "retry: 2000" : "success";

const readers = [];
for (let n = 0; n < Number(connections); n++) {
  readers.push(await open(addresses[n % addresses.length]!));
}
print("open");
const counts = await Promise.all(readers.map((reader) => reader.all()));
const missing = counts.map((count) => total - count).filter((lack) => lack !== 0);
print(JSON.stringify({ whole: counts.length - missing.length, missing }));
Deno.exit(0);

async function open(hostname: string): Promise<{ all(): Promise<number> }> {
  const connection = await Deno.connect({ hostname, port: Number(port) });
  const host = `host: ${hostname}:${port}\r\n`;
  if (kind === "sse") {
    await send(
      connection,
      `GET /events?topics=of: HTTP/1.1\r\n${host}authorization: Basic ${btoa(login)}\r\n\r\n`,
    );
  } else {
    const key = btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(16))));
    await send(
      connection,
      `GET ${
        kind === "notices" ? "/ws" : "/ws_events_all"
      } HTTP/1.1\r\n${host}connection: Upgrade\r\nupgrade: websocket\r\n` +
        `sec-websocket-version: 13\r\nsec-websocket-key: ${key}\r\n\r\n`,
    );
  }
  const chunk = Buffer.alloc(256 << 10);
  let head = "";
  while (!head.includes(READY)) {
    const size = await connection.read(chunk);
    if (size === null) throw new Error(`Refused: ${head}`);
    head += chunk.toString("latin1", 0, size);
    if (kind !== "sse" && head.endsWith("\r\n\r\n")) await connection.write(frame(login));
  }
  return { all: () => count(connection, chunk) };
}

/** Events until all have come, or the connection has ended. */
async function count(connection: Deno.TcpConn, chunk: Buffer): Promise<number> {
  let found = 0, kept = 0;
  while (found < total) {
    const size = await connection.read(chunk.subarray(kept)).catch(() => null);
    if (size === null) break;
    const part = chunk.subarray(0, kept + size);
    for (let at = part.indexOf(MARK); at >= 0; at = part.indexOf(MARK, at + 1)) found++;
    // A mark that the end of this part cuts in two; a whole one is counted already.
    kept = Math.min(MARK.length - 1, part.length);
    chunk.copyWithin(0, part.length - kept, part.length);
  }
  return found;
}

/** A masked text frame of up to 125 bytes, with a mask of zeros. */
function frame(text: string): Uint8Array<ArrayBuffer> {
  const bytes = encoder.encode(text);
  return new Uint8Array([0x81, 0x80 | bytes.length, 0, 0, 0, 0, ...bytes]);
}

async function send(connection: Deno.TcpConn, text: string): Promise<void> {
  await connection.write(encoder.encode(text));
}

function print(text: string): void {
  Deno.stdout.writeSync(encoder.encode(`${text}\n`));
}
