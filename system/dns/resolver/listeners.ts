import type { Log } from "../../core/log/log.ts";
import type { StreamServer } from "./stream_server.ts";
import type { DatagramSocket, Sender } from "../../core/net/transport.ts";
import type { ByteStream } from "../../core/net/transport.ts";

/** A place where questions arrive, and how they get there. */
export interface Listener {
  readonly datagrams: DatagramSocket;
  readonly streams: {
    accept(take: (stream: ByteStream, from: Sender) => void): Promise<void>;
    close(): void;
  };
}

/** What listening needs. */
export interface ListenersOptions {
  /** Opens both; throws when one cannot be had. */
  readonly open: (address: string) => Listener;
  /** Hears datagrams of a place until that is closed. */
  readonly receive: (datagrams: DatagramSocket) => Promise<void>;
  readonly server: Pick<StreamServer, "serve">;
  readonly log: Pick<Log, "info" | "warn">;
}

/** The addresses on which questions are heard now. */
export class Listeners {
  readonly #options: ListenersOptions;
  readonly #open = new Map<string, Listener>();
  readonly #work = new Set<Promise<void>>();
  /** Addresses that could not be had, and what was said of it. */
  readonly #failed = new Map<string, string>();

  constructor(options: ListenersOptions) {
    this.#options = options;
  }

  /** Where questions are heard. */
  get addresses(): readonly string[] {
    return [...this.#open.keys()];
  }

  /** Why an address that is wanted is not heard on, by address. */
  get errors(): Readonly<Record<string, string>> {
    return Object.fromEntries(this.#failed);
  }

  /** Hears on these addresses alone from now on; true when all of them could be had. */
  listen(wanted: readonly string[]): boolean {
    for (const [address, place] of this.#open) {
      if (wanted.includes(address)) continue;
      close(place);
      this.#open.delete(address);
      this.#options.log.info("dns.listener_closed", `Nobody is answered on ${address} any more`, {
        address,
      });
    }
    for (const address of this.#failed.keys()) {
      if (!wanted.includes(address)) this.#failed.delete(address);
    }
    for (const address of wanted) if (!this.#open.has(address)) this.#begin(address);
    return this.#failed.size === 0;
  }

  async close(): Promise<void> {
    for (const place of this.#open.values()) close(place);
    this.#open.clear();
    await Promise.all(this.#work);
  }

  #begin(address: string): void {
    const { open, receive, server, log } = this.#options;
    try {
      const place = open(address);
      this.#open.set(address, place);
      this.#failed.delete(address);
      this.#track(receive(place.datagrams));
      this.#track(place.streams.accept((stream, from) => this.#track(server.serve(stream, from))));
      log.info("dns.listener_opened", `Answering questions for names on ${address}`, { address });
    } catch (error) {
      const words = errorText(address, error);
      const isNews = words !== this.#failed.get(address);
      this.#failed.set(address, words);
      // An address that is not there yet comes with the network.
      if (isNews && !isNotAvailable(error)) {
        log.warn("dns.listener_failed", words, { address, error });
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

function isNotAvailable(error: unknown): boolean {
  return error instanceof Error && error.name === "AddrNotAvailable";
}

function errorText(address: string, error: unknown): string {
  const name = error instanceof Error ? error.name : "";
  if (name === "AddrInUse") return `Another program answers on port 53 of ${address}`;
  if (isNotAvailable(error)) return `${address} is no address of this router yet`;
  if (name === "PermissionDenied") return `Port 53 of ${address} may not be used`;
  return `Port 53 of ${address} cannot be used`;
}
