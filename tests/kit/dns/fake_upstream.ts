import type {
  ByteStream,
  QuerySender,
  UpstreamNetwork,
} from "../../../system/core/net/transport.ts";
import type { Clock } from "../../../system/core/time/clock.ts";

/** A clock that stands until it is moved. */
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

  /** Moves on, running what is due in its order, and lets what waits for it go on. */
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

/** Lets every promise that can go on do so. */
export async function settle(): Promise<void> {
  for (let i = 0; i < 50; i++) await Promise.resolve();
}

/** What a server makes of a question. */
export type Serve = (question: Uint8Array) => readonly FakeReply[];

/** Bytes that come back, and after how many milliseconds; "close" ends a connection. */
export interface FakeReply {
  readonly bytes: Uint8Array | "close";
  readonly after?: number;
}

/** An outside in memory: servers by address. */
export class FakeUpstreamNetwork implements UpstreamNetwork {
  readonly #clock: Clock;
  readonly udpServers = new Map<string, Serve>();
  readonly tcpServers = new Map<string, Serve>();
  /** Why no connection to an address can be had. */
  readonly faults = new Map<string, string>();
  /** What was sent, by transport and address. */
  readonly sent: { readonly how: string; readonly bytes: Uint8Array }[] = [];
  /** Sockets that are open. */
  open = 0;
  /** Connections that were opened. */
  opened = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  udp(address: string): QuerySender {
    return {
      send: (message, hear) => {
        this.open++;
        let open = true;
        this.sent.push({ how: `udp ${address}`, bytes: message.slice() });
        for (const { bytes, after = 1 } of this.udpServers.get(address)?.(message) ?? []) {
          if (bytes !== "close") this.#clock.after(after, () => open && hear(bytes));
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
          const question = bytes.slice(at + 2, at + 2 + size);
          at += size + 2;
          this.sent.push({ how: `tcp ${address}`, bytes: question });
          for (const { bytes: reply, after = 1 } of serve(question)) {
            this.#clock.after(after, () => {
              if (reply === "close") close();
              else {
                inbox.put(Uint8Array.from([reply.length >> 8, reply.length & 255, ...reply]));
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

/** Things in the order in which they came. */
class Inbox<T> {
  readonly #things: T[] = [];
  #wake: (() => void) | null = null;
  #over = false;

  put(thing: T): void {
    this.#things.push(thing);
    this.#wake?.();
  }

  end(): void {
    this.#over = true;
    this.#wake?.();
  }

  async take(): Promise<T | null> {
    for (;;) {
      if (this.#over) return null;
      const thing = this.#things.shift();
      if (thing !== undefined) return thing;
      await new Promise<void>((resolve) => this.#wake = resolve);
    }
  }
}
