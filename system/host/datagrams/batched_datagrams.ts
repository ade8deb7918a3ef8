import { formatIpv4, parseIpv4 } from "../../core/net/net.ts";
import { Problem } from "../../core/errors/problem.ts";
import type { Datagrams, Moment, Sender, TakeDatagram } from "../../core/net/transport.ts";
import { OutgoingPackets, sendAll } from "./outgoing_packets.ts";
import { BATCH, PacketBatch } from "./packet_batch.ts";
import { PacketCalls, WOKEN } from "./packet_calls.ts";
import { PacketLoop } from "./packet_loop.ts";
import { QuestionPorts } from "./source_port_pool.ts";

/** Batches that are read of one socket before others have their turn. */
const TURN = 4;
/** 127.0.0.1. */
const LOOPBACK = 0x7f000001;
/** Addresses whose text is kept. */
const MOST_TEXTS = 4096;

/** A sender with its address as a number beside the text. */
interface RawSender extends Sender {
  readonly raw: number;
}

/**
 * Sockets for datagrams over IPv4 that take and say up to {@link BATCH} of them with each call of the
 * kernel, which is what most of the time goes to. All wait in one call. Throws Problem 503 where the
 * C library may not be used, or does not do what is expected of it.
 */
export class BatchedDatagrams {
  /** The ports from which questions are asked outside; they wait in the same call. */
  readonly questions: QuestionPorts;
  readonly #calls: PacketCalls;
  readonly #loop: PacketLoop;
  readonly #in: PacketBatch;
  readonly #out: PacketBatch;
  readonly #later: OutgoingPackets;
  readonly #texts = new Map<number, string>();

  constructor() {
    const calls = this.#calls = new PacketCalls();
    const addressOf = (memory: Uint8Array<ArrayBuffer>): bigint => calls.addressOf(memory);
    this.#in = new PacketBatch(addressOf);
    this.#out = new PacketBatch(addressOf);
    this.#later = new OutgoingPackets(calls.symbols, addressOf);
    this.#loop = new PacketLoop(calls);
    this.#loop.onFlush(() => this.#later.flush());
    this.questions = new QuestionPorts({ calls, loop: this.#loop, in: this.#in });
    if (this.#isTrue()) return;
    calls.end();
    throw new Problem(503, "The C library of this machine does not batch datagrams as expected");
  }

  /** Has connections that are in use polled more often, while packets follow each other. */
  connectionUsed(): void {
    this.#loop.connectionUsed();
  }

  /** Binds an address and port. Throws as `Deno.listenDatagram` does. */
  open(local: string, port: number): Datagrams {
    const descriptor = this.#calls.bind(local, port);
    let open = true;
    let ended: (() => void) | null = null;
    return {
      receive: (take) => {
        if (!open) return Promise.resolve();
        return new Promise((done) => {
          this.#loop.serve(descriptor, () => {
            for (let turn = 0; turn < TURN && open; turn++) {
              if (this.#serve(descriptor, local, take) < BATCH) return;
            }
          });
          this.#loop.hold();
          ended = done;
        });
      },
      send: (bytes, to) => {
        const raw = parseIpv4(to.address);
        if (!open || raw === null) return;
        if (this.#later.put(descriptor, bytes, { raw, port: to.port })) this.#loop.gathered();
      },
      close: () => {
        if (!open) return;
        open = false;
        this.#later.flush();
        this.#loop.leave(descriptor);
        this.#calls.close(descriptor);
        if (ended !== null) this.#loop.release(ended);
      },
    };
  }

  /** Takes and answers one batch; answers how many packets there were. */
  #serve(descriptor: number, local: string, take: TakeDatagram): number {
    const arrived = this.#in, answers = this.#out;
    const { symbols } = this.#calls;
    const count = arrived.receive(symbols, descriptor);
    const waiting = this.questions.waiting;
    const came: Moment = { at: Date.now(), started: this.#calls.now() };
    let ready = 0;
    for (let i = 0; i < count; i++) {
      const raw = arrived.address(i);
      const from: RawSender = { address: this.#text(raw), port: arrived.port(i), local, came, raw };
      let length = 0;
      try {
        length = take(arrived.received(i), answers.packets[ready]!, from);
      } catch (error) {
        // One question must not keep back the answers to the others.
        reportError(error);
      }
      if (length > 0) answers.direct(ready++, length, from);
    }
    if (ready > 0) sendAll(symbols, descriptor, answers, ready);
    // What was not answered at once, and not asked by us, goes on elsewhere.
    if (ready < count && this.questions.waiting === waiting) this.#loop.handOn();
    return count;
  }

  #text(raw: number): string {
    // With a sign it is a small number to the engine, which finds those without allocating.
    const key = raw | 0;
    let text = this.#texts.get(key);
    if (text === undefined) {
      if (this.#texts.size >= MOST_TEXTS) this.#texts.clear();
      this.#texts.set(key, text = formatIpv4(raw));
    }
    return text;
  }

  /** Sends two datagrams to itself, and looks whether all came back as they must. */
  #isTrue(): boolean {
    const calls = this.#calls;
    const here = LOOPBACK;
    const descriptor = calls.bind("127.0.0.1", 0);
    try {
      calls.watch(descriptor);
      const port = calls.portOf(descriptor);
      const sent = [Uint8Array.of(1, 2, 3), Uint8Array.of(4, 5, 6, 7, 8)];
      for (const bytes of sent) this.#later.put(descriptor, bytes, { raw: here, port });
      this.#later.flush();
      calls.wake();
      const ready = Array.from({ length: calls.wait(0) }, (_, i) => calls.readyAt(i));
      if (ready.length !== 2 || !ready.includes(descriptor) || !ready.includes(WOKEN)) return false;
      const count = this.#in.receive(calls.symbols, descriptor);
      return count === 2 &&
        sent.every((bytes, i) =>
          String(this.#in.received(i)) === String(bytes) && this.#in.address(i) === here &&
          this.#in.port(i) === port
        );
    } finally {
      calls.close(descriptor);
    }
  }
}
