import type { Bus, BusEvent } from "../core/events/bus.ts";
import { acceptLoop } from "../core/ipc/accept_loop.ts";
import { listenUnix } from "../core/ipc/unix_socket.ts";
import { type ListenerWatch, UNWATCHED } from "../core/ipc/watched_server.ts";
import { MAX_LINE_BYTES, parseValue, readBusLine, writeBusLine } from "./bus_line.ts";

/** Lines that may wait for one reader; one that falls further behind is disconnected. */
const MAX_PENDING = 4096;
/** Clients at a time. */
const MAX_CLIENTS = 128;

/** Options of {@link serveEvents}. */
export interface EventSocketOptions {
  readonly path: string;
  readonly bus: Bus;
  readonly watch?: ListenerWatch;
}

/** An open event socket. */
export interface EventSocket {
  close(): Promise<void>;
}

/**
 * Serves events to other programs on this machine: one JSON object a line, `{topic, value}`. A line
 * publishes; one with the topic `subscribe:<prefix>` makes the connection a reader of every topic
 * that begins so, and nothing more is read from it. Who can reach the file may use it.
 */
export async function serveEvents(
  { path, bus, watch = UNWATCHED }: EventSocketOptions,
): Promise<EventSocket> {
  const listener = await listenUnix(path);
  const clients = new Set<Deno.UnixConn>();
  /** The event that a client is publishing now, as the client wrote it. */
  let verbatim: string | null = null;

  const publish = (line: string, topic: string, value: string): void => {
    verbatim = line;
    try {
      bus.publish(topic, parseValue(value));
    } finally {
      verbatim = null;
    }
  };

  async function serveClient(client: Deno.UnixConn): Promise<void> {
    try {
      for await (const line of lines(client)) {
        const message = readBusLine(line);
        if (message?.kind === "publish") publish(line, message.topic, message.value);
        else if (message?.kind === "subscribe") {
          return await feed(client, { bus, prefix: message.prefix, verbatim: () => verbatim });
        }
      }
    } catch {
      // The client went in the middle of a line, or sent one that is too long.
    } finally {
      clients.delete(client);
      close(client);
    }
  }

  let open = true;
  const accepting = acceptLoop(listener, {
    name: path,
    open: () => open,
    receive: (client) => {
      if (clients.size >= MAX_CLIENTS) return close(client);
      clients.add(client);
      void serveClient(client);
    },
    watch,
  });
  return {
    async close() {
      open = false;
      close(listener);
      for (const client of clients) close(client);
      await accepting;
      await Deno.remove(path).catch(() => {});
    },
  };
}

/** Lines of a client, whole. Ends where one is longer than allowed. */
async function* lines(client: Deno.UnixConn): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  const chunk = new Uint8Array(16 * 1024);
  let parts: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for (;;) {
    const length = await client.read(chunk);
    if (length === null) return;
    let from = 0;
    for (let at = 0; at < length; at++) {
      if (chunk[at] !== 10) continue;
      parts.push(chunk.slice(from, at));
      yield decoder.decode(await new Blob(parts).arrayBuffer());
      [parts, size, from] = [[], 0, at + 1];
    }
    parts.push(chunk.slice(from, length));
    size += length - from;
    if (size > MAX_LINE_BYTES) return;
  }
}

/** Sends events to a reader until it goes, or falls too far behind. */
async function feed(
  client: Deno.UnixConn,
  { bus, prefix, verbatim }: {
    readonly bus: Bus;
    readonly prefix: string;
    readonly verbatim: () => string | null;
  },
): Promise<void> {
  const encoder = new TextEncoder();
  const waiting: string[] = [];
  let wake = (): void => {};
  let gone = false;
  const take = (event: BusEvent): void => {
    if (!event.topic.startsWith(prefix)) return;
    waiting.push(verbatim() ?? writeBusLine(event));
    if (waiting.length > MAX_PENDING) {
      gone = true;
      close(client);
    }
    wake();
  };
  const unsubscribe = bus.subscribe(take);
  const leaving = closed(client).then(() => {
    gone = true;
    wake();
  });
  try {
    while (!gone) {
      if (waiting.length === 0) await new Promise<void>((resolve) => wake = resolve);
      const bytes = encoder.encode(waiting.splice(0).map((line) => `${line}\n`).join(""));
      for (let done = 0; done < bytes.length && !gone;) {
        done += await client.write(bytes.subarray(done));
      }
    }
  } finally {
    unsubscribe();
    close(client);
    await leaving;
  }
}

/** Resolves when the other side closed; what it still sends is passed over. */
async function closed(client: Deno.UnixConn): Promise<void> {
  const chunk = new Uint8Array(1024);
  try {
    while (await client.read(chunk) !== null);
  } catch {
    // Closed on this side.
  }
}

function close(what: { close(): void }): void {
  try {
    what.close();
  } catch {
    // It is closed already.
  }
}
