import { Buffer } from "node:buffer";
import { within } from "../../../system/core/time/timeouts.ts";
import type { Counted } from "./connections.ts";
import { MessageBoundary } from "./websocket_frames.ts";

/** How long a client may take, in milliseconds. */
export interface ConnectionTimes {
  /** From its first byte to a whole request header, TLS handshake included. */
  readonly header: number;
  /** Without a request. */
  readonly idle: number;
  /** Without taking a byte of its answer. */
  readonly stalled: number;
}

/** Bytes read at once from a client, and from our server. */
const FROM_CLIENT = 8 << 10;
const FROM_SERVER = 32 << 10;
/** Milliseconds that a client has to take the last bytes, before what it still sends resets them. */
const LINGER = 1000;

/** Writes to a WebSocket beside the server that speaks on it. */
export interface FrameWriter {
  /** Whole frames, each of a message of its own; they come in order, none after the server's Close. */
  write(frames: Uint8Array): void;
  /** Bytes that the client has not taken yet. */
  readonly waiting: number;
}

/** Lets a client send no faster than the body of its request is read. */
export interface Pace {
  /** So many bytes of the body were read: as many more may come. */
  read(bytes: number): void;
  /** Everything that came was read, and more is waited for. */
  starves(): void;
  /** The client is held back no more. */
  end(): void;
}

/** A client's connection, and the one to our HTTP server that its bytes are copied to. */
export class RelayedConnection implements Counted {
  readonly remote: Deno.NetAddr;
  requests = 0;
  readonly #client: Deno.TcpConn;
  readonly #times: ConnectionTimes;
  readonly #ended: () => void;
  #server: Deno.TcpConn | null = null;
  /** A request has begun to arrive. */
  #begun = false;
  #open = true;
  /** The server has said all it will. */
  #finished = false;
  readonly #over = Promise.withResolvers<void>();
  /** When the client is late; by the monotonic clock. */
  #deadline: number;
  #writingSince: number | null = null;
  /** Bytes that the client may still send; null while it sends requests. */
  #allowed: number | null = null;
  /** Bytes that are passed on before the reader of a body has read some; null: any number. */
  #room: number | null = null;
  #wake: () => void = () => {};
  /** Requests that came so far. */
  #count = 0;
  /** Where frames of ours fit between those of the server; null where none are written. */
  #boundary: MessageBoundary | null = null;
  #frames: Uint8Array[] = [];
  #waiting = 0;
  /** The last write to the client, which the next waits for. */
  #written: Promise<void> = Promise.resolve();

  constructor(
    client: Deno.TcpConn,
    options: { readonly times: ConnectionTimes; readonly ended: () => void },
  ) {
    this.#client = client;
    this.remote = client.remoteAddr as Deno.NetAddr;
    this.#times = options.times;
    this.#ended = options.ended;
    this.#deadline = performance.now() + options.times.header;
  }

  /**
   * Copies both ways until either side ends. `dial` connects to the server once the client has sent
   * something: one that sends nothing costs a single descriptor.
   */
  async run(dial: () => Promise<Deno.TcpConn>): Promise<void> {
    try {
      const buffer = new Uint8Array(FROM_CLIENT);
      const first = await this.#client.read(buffer);
      if (first === null || !this.#open) return;
      this.#begin();
      const server = await dial();
      if (!this.#open) return server.close();
      this.#server = server;
      const answers = this.#copyAnswers(server);
      answers.catch(() => this.end());
      await writeAll(server, buffer.subarray(0, first));
      await this.#copyRequests(server, buffer);
      await answers;
    } catch {
      // Either side is gone; whose request it was has seen that by itself.
    } finally {
      this.end();
    }
  }

  /** A request came whole through this connection. */
  requestStarted(): void {
    this.requests += 1;
    this.#count += 1;
    this.#deadline = Infinity;
  }

  /**
   * Passes on no more than this many bytes of the client from now on, until it is called again. The
   * connection speaks another protocol, so that no request is waited for.
   */
  allow(bytes: number): void {
    this.#allowed = bytes;
    this.#deadline = Infinity;
  }

  /**
   * Lets frames be written to the WebSocket that the present request asks for: Deno's own makes a
   * system call of each message, which a reader of many events cannot afford. Null where an earlier
   * response may still be on its way. The connection must not be encrypted.
   */
  writeFrames(): FrameWriter | null {
    if (this.#count > 1) return null;
    const boundary = this.#boundary = new MessageBoundary();
    const waiting = (): number => this.#waiting;
    return {
      write: (frames) => {
        if (!this.#open || boundary.isClosed || frames.length === 0) return;
        this.#frames.push(frames);
        this.#waiting += frames.length;
        if (this.#frames.length === 1) this.#inTurn(() => this.#passFrames());
      },
      get waiting() {
        return waiting();
      },
    };
  }

  /**
   * Passes on no more than `window` bytes of the client that were not read yet. Deno's server otherwise
   * keeps what comes faster than it is read, however much that is, once its response has begun. For a
   * body that comes by HTTP/1.1: by HTTP/2 other requests would be held back as well.
   */
  pace(window: number): Pace {
    const set = (room: number | null): void => {
      this.#room = room;
      this.#wake();
    };
    set(window);
    return {
      // Also what is around the body counts, so that the sum falls short of what was read.
      read: (bytes) => this.#room !== null && set(Math.min(window, this.#room + bytes)),
      starves: () => this.#room !== null && set(window),
      end: () => set(null),
    };
  }

  requestEnded(): void {
    this.requests -= 1;
    this.#room = null;
    this.#wake();
    if (this.#allowed !== null) return;
    if (this.requests > 0 || this.#finished) return;
    this.#begun = false;
    this.#deadline = performance.now() + this.#times.idle;
  }

  /** Gives the client so many milliseconds more. */
  postpone(milliseconds: number): void {
    this.#deadline += milliseconds;
    if (this.#writingSince !== null) this.#writingSince += milliseconds;
  }

  /** Ends the connection if its client is late. */
  check(now: number): void {
    const since = this.#writingSince;
    if (now > this.#deadline || since !== null && now - since > this.#times.stalled) this.end();
  }

  /** Ends once what the server has sent is passed on, where it got a request. */
  async finish(): Promise<void> {
    if (this.#server !== null) await within(LINGER, this.#over.promise);
    this.end();
  }

  end(): void {
    if (!this.#open) return;
    this.#open = false;
    for (const side of [this.#client, this.#server]) {
      try {
        side?.close();
      } catch {
        // Closed by the other end.
      }
    }
    this.#over.resolve();
    this.#wake();
    this.#ended();
  }

  #begin(): void {
    if (this.requests > 0 || this.#begun) return;
    this.#begun = true;
    this.#deadline = performance.now() + this.#times.header;
  }

  async #copyRequests(server: Deno.TcpConn, buffer: Uint8Array): Promise<void> {
    for (;;) {
      const size = await this.#client.read(buffer);
      if (size === null) break;
      if (this.#allowed === null) this.#begin();
      else if ((this.#allowed -= size) < 0) return this.end();
      await writeAll(server, buffer.subarray(0, size));
      if (this.#room !== null) await this.#reader(size);
    }
    await server.closeWrite();
  }

  /** Waits until there is room for more than these bytes. */
  async #reader(size: number): Promise<void> {
    if (this.#room !== null) this.#room -= size;
    while (this.#open && this.#room !== null && this.#room <= 0) {
      await new Promise<void>((resolve) => this.#wake = resolve);
    }
  }

  async #copyAnswers(server: Deno.TcpConn): Promise<void> {
    const buffer = new Uint8Array(FROM_SERVER);
    for (;;) {
      const size = await server.read(buffer);
      if (size === null) break;
      const bytes = buffer.subarray(0, size);
      if (this.#boundary === null) await this.#pass(bytes);
      else await this.#inTurn(() => this.#passAmongFrames(bytes, this.#boundary!));
    }
    await this.#client.closeWrite();
    this.#finished = true;
    this.#over.resolve();
    this.#deadline = performance.now() + LINGER;
  }

  async #pass(bytes: Uint8Array): Promise<void> {
    this.#writingSince = performance.now();
    let written = 0;
    while (written < bytes.length) {
      written += await this.#client.write(bytes.subarray(written));
      this.#writingSince = performance.now();
    }
    this.#writingSince = null;
  }

  async #passAmongFrames(bytes: Uint8Array, boundary: MessageBoundary): Promise<void> {
    boundary.follow(bytes);
    await this.#pass(bytes);
    await this.#passFrames();
  }

  /** Writes the frames that wait, where the server is in the middle of no message; drops them behind its last. */
  async #passFrames(): Promise<void> {
    if (this.#boundary?.isClosed) {
      this.#frames = [];
      this.#waiting = 0;
    }
    if (this.#frames.length === 0 || this.#boundary?.isHere !== true) return;
    const frames = this.#frames;
    this.#frames = [];
    const bytes = frames.length === 1 ? frames[0]! : Buffer.concat(frames);
    await this.#pass(bytes);
    this.#waiting -= bytes.length;
  }

  /** Writes to the client once what is written now has gone. */
  #inTurn(write: () => Promise<void>): Promise<void> {
    const turn = this.#written.then(write);
    this.#written = turn.catch(() => this.end());
    return turn;
  }
}

async function writeAll(to: Deno.TcpConn, bytes: Uint8Array): Promise<void> {
  let written = 0;
  while (written < bytes.length) written += await to.write(bytes.subarray(written));
}
