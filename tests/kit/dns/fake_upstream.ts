import type {
  ByteStream,
  QuerySender,
  UpstreamNetwork,
} from "../../../system/core/net/transport.ts";
import type { Clock } from "../../../system/core/time/clock.ts";

/** A clock that stands until it is advanced. */
export class ManualClock implements Clock {
  #now = 1000;
  #timers: { readonly at: number; readonly run: () => void }[] = [];

  now(): number {
    return this.#now;
  }

  after(milliseconds: number, run: () => void): () => void {
    const timer = { at: this.#now + milliseconds, run };
    this.#timers.push(timer);
    return () => this.#timers = this.#timers.filter((other) => other !== timer);
  }

  /** Timers that wait. */
  get waiting(): number {
    return this.#timers.length;
  }

  /** Advances the clock, runs due timers in order, and lets promises settle. */
  async advance(milliseconds: number): Promise<void> {
    const end = this.#now + milliseconds;
    await settle();
    for (;;) {
      const due = this.#timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
      if (due === undefined) break;
      this.#timers = this.#timers.filter((other) => other !== due);
      this.#now = Math.max(this.#now, due.at);
      due.run();
      await settle();
    }
    this.#now = end;
    await settle();
  }
}

/** Lets promises settle. */
export async function settle(): Promise<void> {
  for (let i = 0; i < 50; i++) await Promise.resolve();
}

/** How a server responds to a query. */
export type Serve = (query: Uint8Array) => readonly FakeResponse[];

/** A response, and after how many milliseconds it is sent; "close" ends a connection. */
export interface FakeResponse {
  readonly bytes: Uint8Array | "close";
  readonly after?: number;
}

/** A network in memory: servers by address. */
export class FakeUpstreamNetwork implements UpstreamNetwork {
  readonly #clock: Clock;
  readonly udpServers = new Map<string, Serve>();
  readonly tcpServers = new Map<string, Serve>();
  /** Errors of connections, by address. */
  readonly faults = new Map<string, string>();
  /** Queries that were sent; `to`: transport and address. */
  readonly sent: { readonly to: string; readonly bytes: Uint8Array }[] = [];
  /** Sockets that are open. */
  open = 0;
  /** Connections that were opened. */
  opened = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  udp(address: string): QuerySender {
    return {
      send: (message, handle) => {
        this.open++;
        let open = true;
        this.sent.push({ to: `udp ${address}`, bytes: message.slice() });
        for (const { bytes, after = 1 } of this.udpServers.get(address)?.(message) ?? []) {
          if (bytes !== "close") this.#clock.after(after, () => open && handle(bytes));
        }
        return {
          cancel: () => {
            if (open) this.open--;
            open = false;
          },
        };
      },
    };
  }

  connect(address: string): Promise<ByteStream> {
    const serve = this.tcpServers.get(address);
    const fault = this.faults.get(address);
    if (fault !== undefined) return Promise.reject(new Error(fault));
    if (serve === undefined) return Promise.reject(new Error("Connection refused"));
    this.open++;
    this.opened++;
    const inbox = new Inbox<Uint8Array>();
    let rest: Uint8Array = new Uint8Array(0);
    let open = true;
    const close = (): void => {
      if (open) this.open--;
      open = false;
      inbox.end();
    };
    return Promise.resolve({
      async read(into: Uint8Array) {
        if (rest.length === 0) {
          const next = await inbox.take();
          if (next === null) return null;
          rest = next;
        }
        const count = Math.min(into.length, rest.length);
        into.set(rest.subarray(0, count));
        rest = rest.subarray(count);
        return count;
      },
      write: (bytes: Uint8Array) => {
        if (!open) return Promise.reject(new Error("Broken pipe"));
        for (let at = 0; at + 2 <= bytes.length;) {
          const size = bytes[at]! << 8 | bytes[at + 1]!;
          const query = bytes.slice(at + 2, at + 2 + size);
          at += size + 2;
          this.sent.push({ to: `tcp ${address}`, bytes: query });
          for (const { bytes: response, after = 1 } of serve(query)) {
            this.#clock.after(after, () => {
              if (response === "close") close();
              else {
                inbox.put(
                  Uint8Array.from([response.length >> 8, response.length & 255, ...response]),
                );
              }
            });
          }
        }
        return Promise.resolve();
      },
      close,
    });
  }
}

/** A queue of items. */
class Inbox<T> {
  readonly #items: T[] = [];
  #wake: (() => void) | null = null;
  #ended = false;

  put(item: T): void {
    this.#items.push(item);
    this.#wake?.();
  }

  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  async take(): Promise<T | null> {
    for (;;) {
      if (this.#ended) return null;
      const item = this.#items.shift();
      if (item !== undefined) return item;
      await new Promise<void>((resolve) => this.#wake = resolve);
    }
  }
}
