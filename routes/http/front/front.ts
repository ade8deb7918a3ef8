import { sourceKey } from "../../../system/core/net/net.ts";
import { acceptLoop } from "../../../system/core/ipc/accept_loop.ts";
import { type ListenerWatch, watchServer } from "../../../system/core/ipc/watched_server.ts";
import { within } from "../../../system/core/time/timeouts.ts";
import { type ConnectionLimits, Connections } from "./connections.ts";
import {
  type ConnectionTimes,
  type FrameWriter,
  type Pace,
  RelayedConnection,
} from "./relayed_connection.ts";

/** What a handler knows of the connection of a request. */
export interface HandlerInfo {
  readonly remoteAddr: Deno.NetAddr;
  /** See {@link RelayedConnection.allow}. */
  readonly allow: (bytes: number) => void;
  /** See {@link RelayedConnection.writeFrames}; null besides where the connection is encrypted. */
  readonly writeFrames: () => FrameWriter | null;
  /** See {@link RelayedConnection.pace}. */
  readonly pace: (window: number) => Pace;
  /** Ends the connection at once. */
  readonly end: () => void;
}

/** What answers requests; `info` tells the peer. */
export type Handler = (request: Request, info: HandlerInfo) => Response | Promise<Response>;

/** A certificate and its key as PEM texts. */
export interface Pair {
  readonly cert: string;
  readonly key: string;
}

/** Limits of a listener. */
export interface Limits extends ConnectionLimits, ConnectionTimes {
  /** Milliseconds between two looks for clients that are late. */
  readonly check: number;
}

/** A browser holds six connections, and a proxy may hide many browsers. */
const LIMITS: Limits = {
  perSource: 128,
  total: 1024,
  header: 10_000,
  idle: 65_000,
  stalled: 60_000,
  check: 500,
};

/** Milliseconds that running requests get when a server closes. */
const DRAIN = 1000;

/**
 * Serves HTTP behind an accept loop of our own. Deno's server accepts any number of connections and
 * waits for each for ever, so it listens on a port of the loopback interface that only this relay is
 * served on, and each connection that is let in is copied to it. The client of a request
 * is found by the local port of the relayed connection.
 */
export class Front {
  readonly #listener: Deno.TcpListener;
  readonly #handler: Handler;
  readonly #limits: Limits;
  readonly #watch: ListenerWatch;
  readonly #name: string;
  readonly #connections: Connections<RelayedConnection>;
  /** By the port that they are relayed from. */
  readonly #relayed = new Map<number, RelayedConnection>();
  readonly #checks: ReturnType<typeof setInterval>;
  readonly #accepting: Promise<void>;
  /** When it was last looked for late clients. */
  #checked = performance.now();
  #server: { readonly addr: Deno.Addr; shutdown(): Promise<void> } | null = null;
  #open = true;

  constructor(listener: Deno.TcpListener, options: {
    readonly handler: Handler;
    readonly limits?: Partial<Limits>;
    readonly watch: ListenerWatch;
  }) {
    this.#listener = listener;
    this.#handler = options.handler;
    this.#watch = options.watch;
    this.#limits = { ...LIMITS, ...options.limits };
    this.#connections = new Connections(this.#limits);
    const { hostname, port } = listener.addr;
    this.#name = `${hostname}:${port}`;
    this.#checks = setInterval(() => this.#check(), this.#limits.check);
    this.#accepting = acceptLoop(listener, {
      name: this.#name,
      open: () => this.#open,
      receive: (client) => this.#receive(client),
      watch: this.#watch,
    });
  }

  /** Serves new connections from now on, over TLS with a pair; running requests end by themselves. */
  async serve(tls: Pair | null): Promise<void> {
    const next = await watchServer(
      this.#name,
      () =>
        Deno.serve(
          { hostname: "127.0.0.1", port: 0, ...tls ?? {}, onListen() {} },
          (request, info) => this.#answer(request, info, tls !== null),
        ),
      this.#watch,
    );
    const before = this.#server;
    this.#server = next;
    if (before !== null) await drain(before);
  }

  /** Stops accepting, gives running requests up to a second, then ends every connection. */
  async close(): Promise<void> {
    this.#open = false;
    this.#listener.close();
    clearInterval(this.#checks);
    if (this.#server !== null) await drain(this.#server);
    await Promise.all([...this.#connections].map((connection) => connection.finish()));
    await this.#accepting;
  }

  #receive(client: Deno.TcpConn): void {
    const source = sourceKey((client.remoteAddr as Deno.NetAddr).hostname);
    if (!this.#connections.admits(source)) return client.close();
    // A response is copied in parts: by RFC 896 the last would wait for the client to acknowledge
    // the one before, which it puts off for some 40 ms.
    client.setNoDelay();
    let port = 0;
    const connection = new RelayedConnection(client, {
      times: this.#limits,
      ended: () => {
        this.#connections.remove(source, connection);
        if (this.#relayed.get(port) === connection) this.#relayed.delete(port);
      },
    });
    this.#connections.add(source, connection);
    void connection.run(async () => {
      const { port: served } = this.#server!.addr as Deno.NetAddr;
      const server = await Deno.connect({ hostname: "127.0.0.1", port: served });
      server.setNoDelay();
      port = (server.localAddr as Deno.NetAddr).port;
      this.#relayed.set(port, connection);
      return server;
    });
  }

  async #answer(
    request: Request,
    info: Deno.ServeHandlerInfo,
    isEncrypted: boolean,
  ): Promise<Response> {
    const { hostname, port } = info.remoteAddr as Deno.NetAddr;
    const connection = hostname === "127.0.0.1" ? this.#relayed.get(port) : undefined;
    // Another program on this machine connected to the port itself, past the limits of the listener.
    if (connection === undefined) return new Response(null, { status: 421 });
    connection.requestStarted();
    info.completed.catch(() => {}).finally(() => connection.requestEnded());
    return await this.#handler(request, {
      remoteAddr: connection.remote,
      allow: (bytes) => connection.allow(bytes),
      writeFrames: () => isEncrypted ? null : connection.writeFrames(),
      pace: (window) => connection.pace(window),
      end: () => connection.end(),
    });
  }

  #check(): void {
    const now = performance.now();
    const { check } = this.#limits;
    // While this process stood still it read nothing of what clients sent: none was late by that.
    const stood = now - this.#checked - check;
    this.#checked = now;
    for (const connection of [...this.#connections]) {
      if (stood > check) connection.postpone(stood);
      connection.check(now);
    }
  }
}

/** Stops accepting, gives running requests up to a second, then waits no longer. Never throws. */
export async function drain(server: { shutdown(): Promise<void> }): Promise<void> {
  await within(DRAIN, server.shutdown().catch(() => {}));
}
