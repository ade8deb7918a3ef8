import type { Context } from "hono";
import { Problem } from "../../system/core/errors/problem.ts";
import { away, type PluginChannel } from "../../system/plugins/channels.ts";
import type { Header } from "../../system/core/ipc/http/head.ts";
import { TOKEN_PROTOCOL } from "../http/origin.ts";
import { peerFrom } from "../http/peer.ts";

/** The handshake of a WebSocket to a plugin. */
export interface Handshake {
  readonly channel: PluginChannel;
  readonly headers: readonly Header[];
  /** Path and query. */
  readonly target: string;
}

/** Milliseconds within which a plugin must accept a WebSocket. */
const HANDSHAKE_TIMEOUT_MS = 10_000;
/** Milliseconds between two looks at whether the client may still be here. */
const LOOK_INTERVAL_MS = 5000;
/** Bytes of one message of a client: the connection ends with a longer one. */
const MAX_MESSAGE = 4 << 20;
/** Bytes that may wait for a reader; then both ends are closed, lest they fill the memory. */
const MAX_BUFFERED = 8 << 20;
/**
 * Statuses of a close. A program may send 1000 and those of libraries and applications alone (RFC 6455
 * section 7.4): ours are 1001 (going away), 1008 (policy) and 1013 (try again later) of the protocol, moved
 * there.
 */
const NORMAL = 1000, TURNED_OFF = 3001, SIGNED_OUT = 3008, TOO_SLOW = 3013;

/** Deno's options of a WebSocket, which the type of the DOM does not know. */
const ClientWebSocket = WebSocket as unknown as new (
  url: string,
  options: {
    readonly client: Deno.HttpClient;
    readonly headers: Headers;
    readonly protocols: string[];
  },
) => WebSocket;

/**
 * Connects a client's WebSocket to one of a plugin. The client's is accepted only once the plugin has
 * accepted its own, and ends once `holds` says that its credentials do not hold any more. Throws Problem
 * 400, 502.
 */
export async function relayWebSocket(
  c: Context,
  { channel, headers, target }: Handshake,
  holds: () => boolean,
): Promise<Response> {
  const { plugin, ended } = channel;
  if (c.req.method !== "GET") throw new Problem(400, "Open a WebSocket with GET");
  const answered = channel.waits();
  const early: (string | ArrayBuffer)[] = [];
  let inner: WebSocket;
  try {
    inner = await opened(
      new ClientWebSocket(`ws://127.0.0.1${target}`, {
        client: channel.webSockets(),
        headers: handshakeHeaders(headers),
        protocols: protocolsOf(c),
      }),
      early,
    );
  } catch (error) {
    throw error instanceof Problem ? error : away(plugin, "it accepts no WebSocket here");
  } finally {
    answered();
  }
  try {
    const { socket, response } = Deno.upgradeWebSocket(c.req.raw, {
      ...(inner.protocol === "" ? {} : { protocol: inner.protocol }),
      idleTimeout: 60,
    });
    const { allow } = peerFrom(c);
    allow?.(MAX_MESSAGE);
    join(socket, inner, { early, ended, holds, heard: () => allow?.(MAX_MESSAGE) });
    return response;
  } catch (error) {
    inner.close();
    throw new Problem(400, "This is no handshake of a WebSocket", { cause: error });
  }
}

function handshakeHeaders(sent: readonly Header[]): Headers {
  // Without a user agent of its own, the handshake would have that of Deno.
  const headers = new Headers({ "user-agent": "" });
  for (const [name, value] of sent) headers.set(name, value);
  return headers;
}

/** The protocols that the page offers, without the one that carries its token. */
function protocolsOf(c: Context): string[] {
  return (c.req.header("sec-websocket-protocol") ?? "").split(",").map((one) => one.trim())
    .filter((one) => one !== "" && !one.startsWith(TOKEN_PROTOCOL));
}

/** Waits until a WebSocket is open; messages that come before it is joined are kept. */
function opened(socket: WebSocket, early: (string | ArrayBuffer)[]): Promise<WebSocket> {
  socket.binaryType = "arraybuffer";
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new Error("It took too long"));
      socket.close();
    }, HANDSHAKE_TIMEOUT_MS);
    socket.onopen = () => {
      clearTimeout(timer);
      resolve(socket);
    };
    socket.onmessage = ({ data }) => early.push(data);
    socket.onerror = () => {
      clearTimeout(timer);
      reject(new Error("It was refused"));
    };
  });
}

function join(
  outer: WebSocket,
  inner: WebSocket,
  options: {
    readonly early: readonly (string | ArrayBuffer)[];
    readonly ended: AbortSignal;
    readonly holds: () => boolean;
    /** A message of the client came whole. */
    readonly heard: () => void;
  },
): void {
  outer.binaryType = "arraybuffer";
  const waiting = [...options.early];
  const close = (status: number, reason: string): void => {
    options.ended.removeEventListener("abort", onEnded);
    clearInterval(looking);
    for (const socket of [outer, inner]) {
      const isOpen = socket.readyState === WebSocket.OPEN ||
        socket.readyState === WebSocket.CONNECTING;
      if (isOpen) socket.close(status, reason);
    }
  };
  const onEnded = (): void => close(TURNED_OFF, "The plugin was turned off");
  const looking = setInterval(() => {
    if (!options.holds()) close(SIGNED_OUT, "The sign-in has ended");
  }, LOOK_INTERVAL_MS);
  const pass = (to: WebSocket, data: string | ArrayBuffer): void => {
    if (to.readyState !== WebSocket.OPEN) return;
    if (to.bufferedAmount > MAX_BUFFERED) return close(TOO_SLOW, "The reader is too slow");
    to.send(data);
  };
  /** How the plugin ended it before the client had it. */
  let over: { readonly status: number; readonly reason: string } | null = null;
  outer.onopen = () => {
    for (const data of waiting.splice(0)) pass(outer, data);
    if (over !== null) close(over.status, over.reason);
  };
  inner.onmessage = ({ data }) => {
    if (outer.readyState === WebSocket.CONNECTING) waiting.push(data);
    else pass(outer, data);
  };
  outer.onmessage = ({ data }) => {
    options.heard();
    pass(inner, data);
  };
  outer.onclose = ({ code, reason }) => close(sendable(code), reason);
  const innerEnded = (status: number, reason: string): void => {
    if (outer.readyState === WebSocket.CONNECTING) over = { status, reason };
    else close(status, reason);
  };
  inner.onclose = ({ code, reason }) => innerEnded(sendable(code), reason);
  inner.onerror = () => innerEnded(NORMAL, "");
  outer.onerror = () => close(NORMAL, "");
  if (inner.readyState >= WebSocket.CLOSING) innerEnded(NORMAL, "");
  if (options.ended.aborted) onEnded();
  else options.ended.addEventListener("abort", onEnded);
}

function sendable(code: number): number {
  return code >= 3000 && code <= 4999 ? code : NORMAL;
}
