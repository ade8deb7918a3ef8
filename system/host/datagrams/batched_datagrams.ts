import { formatIpv4, parseIpv4 } from "../../core/net/net.ts";
import { Problem } from "../../core/errors/problem.ts";
import type {
  ArrivalTime,
  DatagramHandler,
  DatagramSocket,
  Sender,
} from "../../core/net/transport.ts";
import { OutgoingPackets, sendAll } from "./outgoing_packets.ts";
import { BATCH_SIZE, PacketBatch } from "./packet_batch.ts";
import { PacketCalls, WOKEN } from "./packet_calls.ts";
import { PacketLoop } from "./packet_loop.ts";
import { SourcePortPool } from "./source_port_pool.ts";

/** Batches read from one socket before the next one is served. */
const MAX_BATCHES_PER_TURN = 4;
/** 127.0.0.1. */
const LOOPBACK = 0x7f000001;
/** Addresses whose text is cached. */
const MAX_CACHED_TEXTS = 4096;

/** A sender with its address as a number beside the text. */
interface NumberedSender extends Sender {
  readonly raw: number;
}

/**
 * IPv4 datagram sockets that receive and send up to {@link BATCH_SIZE} packets with each system
 * call, the largest part of the cost. One call waits for all of them. Throws Problem 503 where the
 * C library is not usable or behaves unexpectedly.
 */
export class BatchedDatagrams {
  /** The ports from which upstream queries leave; the same call waits for them. */
  readonly sourcePorts: SourcePortPool;
  readonly #calls: PacketCalls;
  readonly #loop: PacketLoop;
  readonly #in: PacketBatch;
  readonly #out: PacketBatch;
  readonly #outgoing: OutgoingPackets;
  readonly #texts = new Map<number, string>();

  constructor() {
    const calls = this.#calls = new PacketCalls();
    const addressOf = (memory: Uint8Array<ArrayBuffer>): bigint => calls.addressOf(memory);
    this.#in = new PacketBatch(addressOf);
    this.#out = new PacketBatch(addressOf);
    this.#outgoing = new OutgoingPackets(calls.symbols, addressOf);
    this.#loop = new PacketLoop(calls);
    this.#loop.onFlush(() => this.#outgoing.flush());
    this.sourcePorts = new SourcePortPool({ calls, loop: this.#loop, in: this.#in });
    if (this.#worksAsExpected()) return;
    calls.end();
    throw new Problem(503, "The C library of this machine does not batch datagrams as expected");
  }

  /** Has connections that are in use polled more often, while packets follow each other. */
  connectionUsed(): void {
    this.#loop.connectionUsed();
  }

  /** Binds an address and port. Throws as `Deno.listenDatagram` does. */
  open(local: string, port: number): DatagramSocket {
    const descriptor = this.#calls.bind(local, port);
    let open = true;
    let closed: (() => void) | null = null;
    return {
      receive: (handle) => {
        if (!open) return Promise.resolve();
        return new Promise((done) => {
          this.#loop.serve(descriptor, () => {
            for (let turn = 0; turn < MAX_BATCHES_PER_TURN && open; turn++) {
              if (this.#serve(descriptor, local, handle) < BATCH_SIZE) return;
            }
          });
          this.#loop.hold();
          closed = done;
        });
      },
      send: (bytes, to) => {
        const raw = parseIpv4(to.address);
        if (!open || raw === null) return;
        if (this.#outgoing.add(descriptor, bytes, { raw, port: to.port })) this.#loop.gathered();
      },
      close: () => {
        if (!open) return;
        open = false;
        this.#outgoing.flush();
        this.#loop.leave(descriptor);
        this.#calls.close(descriptor);
        if (closed !== null) this.#loop.release(closed);
      },
    };
  }

  /** Receives one batch and sends the immediate responses; returns the number of packets. */
  #serve(descriptor: number, local: string, handle: DatagramHandler): number {
    const received = this.#in, responses = this.#out;
    const { symbols } = this.#calls;
    const count = received.receive(symbols, descriptor);
    const { pending } = this.sourcePorts;
    const arrival: ArrivalTime = { unix: Date.now(), monotonic: this.#calls.now() };
    let ready = 0;
    for (let i = 0; i < count; i++) {
      const raw = received.address(i);
      const address = this.#text(raw);
      const from: NumberedSender = { address, port: received.port(i), local, arrival, raw };
      let length = 0;
      try {
        length = handle(received.received(i), responses.packets[ready]!, from);
      } catch (error) {
        // One packet must not hold up the responses to the others.
        reportError(error);
      }
      if (length > 0) responses.prepare(ready++, length, from);
    }
    if (ready > 0) sendAll(symbols, descriptor, responses, ready);
    // A query without a response and without an upstream query over UDP waits for a connection.
    if (ready < count && this.sourcePorts.pending === pending) this.#loop.handOn();
    return count;
  }

  #text(raw: number): string {
    // Signed, it is a small integer, which V8 looks up without allocating.
    const key = raw | 0;
    let text = this.#texts.get(key);
    if (text === undefined) {
      if (this.#texts.size >= MAX_CACHED_TEXTS) this.#texts.clear();
      this.#texts.set(key, text = formatIpv4(raw));
    }
    return text;
  }

  /** Self-test: sends two datagrams to itself and checks both. */
  #worksAsExpected(): boolean {
    const calls = this.#calls;
    const descriptor = calls.bind("127.0.0.1", 0);
    try {
      calls.watch(descriptor);
      const port = calls.portOf(descriptor);
      const sent = [Uint8Array.of(1, 2, 3), Uint8Array.of(4, 5, 6, 7, 8)];
      for (const bytes of sent) this.#outgoing.add(descriptor, bytes, { raw: LOOPBACK, port });
      this.#outgoing.flush();
      calls.wake();
      const ready = Array.from({ length: calls.wait(0) }, (_, i) => calls.readyAt(i));
      if (ready.length !== 2 || !ready.includes(descriptor) || !ready.includes(WOKEN)) return false;
      const count = this.#in.receive(calls.symbols, descriptor);
      return count === 2 &&
        sent.every((bytes, i) =>
          String(this.#in.received(i)) === String(bytes) && this.#in.address(i) === LOOPBACK &&
          this.#in.port(i) === port
        );
    } finally {
      calls.close(descriptor);
    }
  }
}
