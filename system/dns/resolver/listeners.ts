import type { Log } from "../../core/log/log.ts";
import type { StreamServer } from "./stream_server.ts";
import type { DatagramSocket, Sender } from "../../core/net/transport.ts";
import type { ByteStream } from "../../core/net/transport.ts";

/** The sockets of an address. */
export interface Listener {
  readonly datagrams: DatagramSocket;
  readonly streams: {
    accept(take: (stream: ByteStream, from: Sender) => void): Promise<void>;
    close(): void;
  };
}

/** Why an address is not listened on. `noAddress`: the router does not have it, perhaps not yet. */
export interface ListenError {
  readonly reason: "inUse" | "noAddress" | "denied" | "other";
  /** For people. */
  readonly message: string;
}

/** What listeners need. */
export interface ListenersOptions {
  /** Opens both sockets; throws when one cannot be bound. */
  readonly open: (address: string) => Listener;
  /** Handles datagrams of a socket until it is closed. */
  readonly receive: (datagrams: DatagramSocket) => Promise<void>;
  readonly server: Pick<StreamServer, "serve">;
  readonly log: Pick<Log, "info" | "warn">;
}

/** The addresses that dnsd listens on. */
export class Listeners {
  readonly #options: ListenersOptions;
  readonly #open = new Map<string, Listener>();
  readonly #work = new Set<Promise<void>>();
  /** Errors of addresses that could not be bound. */
  readonly #failed = new Map<string, ListenError>();

  constructor(options: ListenersOptions) {
    this.#options = options;
  }

  get addresses(): readonly string[] {
    return [...this.#open.keys()];
  }

  /** Why an address is not listened on, by address. */
  get errors(): Readonly<Record<string, ListenError>> {
    return Object.fromEntries(this.#failed);
  }

  /** Listens on these addresses only; true when all of them could be bound. */
  listen(wanted: readonly string[]): boolean {
    for (const [address, listener] of this.#open) {
      if (wanted.includes(address)) continue;
      close(listener);
      this.#open.delete(address);
      this.#options.log.info("dns.listener_closed", `Stopped listening on ${address}`, {
        address,
      });
    }
    for (const address of this.#failed.keys()) {
      if (!wanted.includes(address)) this.#failed.delete(address);
    }
    for (const address of wanted) if (!this.#open.has(address)) this.#start(address);
    return this.#failed.size === 0;
  }

  async close(): Promise<void> {
    for (const listener of this.#open.values()) close(listener);
    this.#open.clear();
    await Promise.all(this.#work);
  }

  #start(address: string): void {
    const { open, receive, server, log } = this.#options;
    try {
      const listener = open(address);
      this.#open.set(address, listener);
      this.#failed.delete(address);
      this.#track(receive(listener.datagrams));
      this.#track(
        listener.streams.accept((stream, from) => this.#track(server.serve(stream, from))),
      );
      log.info("dns.listener_opened", `Listening on ${address}`, { address });
    } catch (error) {
      const failed = listenError(address, error);
      const isNew = failed.reason !== this.#failed.get(address)?.reason;
      this.#failed.set(address, failed);
      // An address that does not exist yet appears with the network.
      if (isNew && failed.reason !== "noAddress") {
        log.warn("dns.listener_failed", failed.message, { address, error });
      }
    }
  }

  #track(job: Promise<void>): void {
    const done = job.finally(() => this.#work.delete(done));
    this.#work.add(done);
  }
}

function close({ datagrams, streams }: Listener): void {
  datagrams.close();
  streams.close();
}

function listenError(address: string, error: unknown): ListenError {
  switch (error instanceof Error ? error.name : "") {
    case "AddrInUse":
      return { reason: "inUse", message: `Port 53 of ${address} is in use by another program` };
    case "AddrNotAvailable":
      return { reason: "noAddress", message: `${address} is not an address of this router yet` };
    case "PermissionDenied":
      return { reason: "denied", message: `No permission to use port 53 of ${address}` };
    default:
      return { reason: "other", message: `Port 53 of ${address} cannot be used` };
  }
}
