import { KeyTable } from "../../core/data/key_table.ts";
import { parseIpv4 } from "../../core/net/net.ts";
import type { QuerySender, ResponseHandler, SentQuery } from "../../core/net/transport.ts";
import { type Destination, OutgoingPackets } from "./outgoing_packets.ts";
import { BATCH_SIZE, type PacketBatch } from "./packet_batch.ts";
import type { PacketCalls } from "./packet_calls.ts";
import type { PacketLoop } from "./packet_loop.ts";

/** Ports among which the next one is drawn; a power of two. */
const POOL_SIZE = 64;
/** Queries from one port, and its age, after which another takes its place. */
const MAX_USES = 100, MAX_AGE_MS = 10_000;

/** A port from which upstream queries leave. */
interface SourcePort {
  readonly descriptor: number;
  readonly openedAt: number;
  /** Queries that wait for a response to it, by their id. */
  readonly outstanding: KeyTable<OutstandingQuery>;
  uses: number;
  /** No query leaves from it any more; it is closed with the last that is outstanding. */
  retired: boolean;
}

/** A query that waits for its response. */
class OutstandingQuery implements SentQuery {
  readonly handle: ResponseHandler;
  readonly raw: number;
  readonly port: number;
  readonly from: SourcePort;
  readonly #id: number;
  readonly #pool: SourcePortPool;

  constructor(pool: SourcePortPool, { handle, raw, port, from, id }: {
    readonly handle: ResponseHandler;
    readonly raw: number;
    readonly port: number;
    readonly from: SourcePort;
    readonly id: number;
  }) {
    this.#pool = pool;
    this.handle = handle;
    this.raw = raw;
    this.port = port;
    this.from = from;
    this.#id = id;
  }

  cancel(): void {
    if (this.from.outstanding.get(this.#id) !== this) return;
    this.from.outstanding.delete(this.#id);
    this.#pool.settled(this.from);
  }
}

/** What the pool shares with other sockets. */
export interface SourcePortPoolOptions {
  readonly calls: PacketCalls;
  readonly loop: PacketLoop;
  /** Lent while packets are received. */
  readonly in: PacketBatch;
}

/**
 * Upstream queries over UDP from ports that the kernel draws. Those of one moment leave from one port,
 * with one system call, the next ones from another; each port is soon replaced. A response counts only
 * for a query that left from the port it came to, with its id, and from the address that was queried.
 */
export class SourcePortPool {
  readonly #calls: PacketCalls;
  readonly #loop: PacketLoop;
  readonly #in: PacketBatch;
  readonly #out: OutgoingPackets;
  readonly #ports: (SourcePort | undefined)[] = new Array(POOL_SIZE).fill(undefined);
  readonly #random = new Uint8Array(256);
  #randomUsed = 256;
  #current: SourcePort | null = null;
  #pending = 0;
  #ignored = 0;

  constructor({ calls, loop, in: received }: SourcePortPoolOptions) {
    this.#calls = calls;
    this.#loop = loop;
    this.#in = received;
    this.#out = new OutgoingPackets(calls.symbols, (memory) => calls.addressOf(memory));
    loop.onFlush(() => this.#flush());
  }

  /** Queries that wait for a response. */
  get pending(): number {
    return this.#pending;
  }

  /** Datagrams that were no response to an outstanding query. */
  get ignored(): number {
    return this.#ignored;
  }

  /** A sender to one resolver; null when its address is not IPv4. */
  senderTo(address: string, port: number): QuerySender | null {
    const raw = parseIpv4(address);
    if (raw === null) return null;
    return { send: (message, handle) => this.#send({ raw, port }, message, handle) };
  }

  #send(to: Destination, message: Uint8Array, handle: ResponseHandler): OutstandingQuery {
    const id = message[0]! << 8 | message[1]!;
    let from = this.#current;
    while (from === null || from.outstanding.has(id)) from = this.#current = this.#draw();
    const query = new OutstandingQuery(this, { ...to, handle, from, id });
    from.outstanding.set(id, query);
    from.uses++;
    if (this.#pending++ === 0) this.#loop.hold();
    this.#out.add(from.descriptor, message, to);
    if (this.#out.size === BATCH_SIZE) this.#flush();
    else this.#loop.gathered();
    return query;
  }

  /** Called by a query that is no longer outstanding. */
  settled(port: SourcePort): void {
    if (--this.#pending === 0) this.#loop.release();
    if (port.retired && port.outstanding.size === 0) this.#close(port);
  }

  #flush(): void {
    this.#out.flush();
    this.#current = null;
  }

  #draw(): SourcePort {
    if (this.#randomUsed === this.#random.length) {
      crypto.getRandomValues(this.#random);
      this.#randomUsed = 0;
    }
    const index = this.#random[this.#randomUsed++]! % POOL_SIZE;
    const known = this.#ports[index];
    const now = performance.now();
    if (known !== undefined) {
      if (known.uses < MAX_USES && now - known.openedAt < MAX_AGE_MS) return known;
      this.#retire(known);
      this.#ports[index] = undefined;
    }
    const descriptor = this.#calls.bind("0.0.0.0", 0);
    const port: SourcePort = {
      descriptor,
      openedAt: now,
      outstanding: new KeyTable<OutstandingQuery>(),
      uses: 0,
      retired: false,
    };
    try {
      this.#loop.serve(descriptor, () => this.#receive(port));
    } catch (error) {
      this.#calls.close(descriptor);
      throw error;
    }
    return this.#ports[index] = port;
  }

  #retire(port: SourcePort): void {
    port.retired = true;
    if (port.outstanding.size === 0) this.#close(port);
  }

  #close({ descriptor }: SourcePort): void {
    // A canceled query may still be among the packets that are to be sent from here.
    this.#flush();
    this.#loop.leave(descriptor);
    this.#calls.close(descriptor);
  }

  #receive({ descriptor, outstanding }: SourcePort): void {
    const received = this.#in;
    const count = received.receive(this.#calls.symbols, descriptor);
    for (let i = 0; i < count; i++) {
      const bytes = received.received(i);
      const query = bytes.length < 2 ? undefined : outstanding.get(bytes[0]! << 8 | bytes[1]!);
      if (query?.raw === received.address(i) && query.port === received.port(i)) {
        handle(query, bytes);
      } else this.#ignored++;
    }
  }
}

function handle(query: OutstandingQuery, bytes: Uint8Array): void {
  try {
    query.handle(bytes);
  } catch (error) {
    // One response must not hold up those that came with it.
    reportError(error);
  }
}
