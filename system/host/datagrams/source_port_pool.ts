import { parseIpv4 } from "../../core/net/net.ts";
import { KeyTable } from "../../core/data/key_table.ts";
import type { Hear, Hearing, QuestionSender } from "../../core/net/transport.ts";
import { OutgoingPackets } from "./outgoing_packets.ts";
import { BATCH, type PacketBatch } from "./packet_batch.ts";
import type { PacketCalls } from "./packet_calls.ts";
import type { PacketLoop } from "./packet_loop.ts";

/** Ports among which the next one is drawn; a power of two. */
const PORTS = 64;
/** Questions from one port, and its milliseconds, after which another takes its place. */
const MOST_USES = 100, LONGEST_USE = 10_000;

/** A port of ours outside. */
interface Port {
  readonly descriptor: number;
  readonly opened: number;
  /** Questions that wait for an answer to it, by their id. */
  readonly asked: KeyTable<Asked>;
  uses: number;
  /** No question is put from it any more; it is closed with the last that waits. */
  retired: boolean;
}

/** A question that waits for its answer. */
class Asked implements Hearing {
  readonly hear: Hear;
  readonly raw: number;
  readonly port: number;
  readonly from: Port;
  readonly #id: number;
  readonly #ports: QuestionPorts;

  constructor(ports: QuestionPorts, { hear, raw, port, from, id }: {
    readonly hear: Hear;
    readonly raw: number;
    readonly port: number;
    readonly from: Port;
    readonly id: number;
  }) {
    this.#ports = ports;
    this.hear = hear;
    this.raw = raw;
    this.port = port;
    this.from = from;
    this.#id = id;
  }

  end(): void {
    if (this.from.asked.get(this.#id) !== this) return;
    this.from.asked.delete(this.#id);
    this.#ports.ended(this.from);
  }
}

/** What the ports share with others. */
export interface QuestionPortsOptions {
  readonly calls: PacketCalls;
  readonly loop: PacketLoop;
  /** Lent while packets are taken. */
  readonly in: PacketBatch;
}

/**
 * Questions over UDP from ports that the kernel draws. Those of one moment leave from one port, with
 * one call of the kernel, the next ones from another; each port is soon replaced. An answer counts
 * only for a question that left from the port it came to, with its id, and from whom that was asked.
 */
export class QuestionPorts {
  readonly #calls: PacketCalls;
  readonly #loop: PacketLoop;
  readonly #in: PacketBatch;
  readonly #out: OutgoingPackets;
  readonly #ports: (Port | undefined)[] = new Array(PORTS).fill(undefined);
  readonly #dice = new Uint8Array(256);
  #thrown = 256;
  #now: Port | null = null;
  #waiting = 0;
  #ignored = 0;

  constructor({ calls, loop, in: arrived }: QuestionPortsOptions) {
    this.#calls = calls;
    this.#loop = loop;
    this.#in = arrived;
    this.#out = new OutgoingPackets(calls.symbols, (memory) => calls.addressOf(memory));
    loop.onFlush(() => this.#flush());
  }

  /** Questions that wait for an answer. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Datagrams that were no answer to a question that waits. */
  get ignored(): number {
    return this.#ignored;
  }

  /** The way to one resolver; null when its address is none of IPv4. */
  to(address: string, port: number): QuestionSender | null {
    const raw = parseIpv4(address);
    if (raw === null) return null;
    return { ask: (message, hear) => this.#ask({ raw, port }, message, hear) };
  }

  #ask(
    to: { readonly raw: number; readonly port: number },
    message: Uint8Array,
    hear: Hear,
  ): Asked {
    const id = message[0]! << 8 | message[1]!;
    let from = this.#now;
    while (from === null || from.asked.has(id)) from = this.#now = this.#draw();
    const asked = new Asked(this, { ...to, hear, from, id });
    from.asked.set(id, asked);
    from.uses++;
    if (this.#waiting++ === 0) this.#loop.hold();
    this.#out.put(from.descriptor, message, to);
    if (this.#out.waiting === BATCH) this.#flush();
    else this.#loop.gathered();
    return asked;
  }

  /** Told by a question that waits no more. */
  ended(port: Port): void {
    if (--this.#waiting === 0) this.#loop.release();
    if (port.retired && port.asked.size === 0) this.#close(port);
  }

  #flush(): void {
    this.#out.flush();
    this.#now = null;
  }

  #draw(): Port {
    if (this.#thrown === this.#dice.length) {
      crypto.getRandomValues(this.#dice);
      this.#thrown = 0;
    }
    const place = this.#dice[this.#thrown++]! % PORTS;
    const known = this.#ports[place];
    const now = performance.now();
    if (known !== undefined) {
      if (known.uses < MOST_USES && now - known.opened < LONGEST_USE) return known;
      this.#retire(known);
      this.#ports[place] = undefined;
    }
    const descriptor = this.#calls.bind("0.0.0.0", 0);
    const port = { descriptor, opened: now, asked: new KeyTable<Asked>(), uses: 0, retired: false };
    try {
      this.#loop.serve(descriptor, () => this.#take(port));
    } catch (error) {
      this.#calls.close(descriptor);
      throw error;
    }
    return this.#ports[place] = port;
  }

  #retire(port: Port): void {
    port.retired = true;
    if (port.asked.size === 0) this.#close(port);
  }

  #close({ descriptor }: Port): void {
    // A question that was taken back may still stand in what is to be sent from here.
    this.#flush();
    this.#loop.leave(descriptor);
    this.#calls.close(descriptor);
  }

  #take({ descriptor, asked }: Port): void {
    const arrived = this.#in;
    const count = arrived.receive(this.#calls.symbols, descriptor);
    for (let i = 0; i < count; i++) {
      const bytes = arrived.received(i);
      const one = bytes.length < 2 ? undefined : asked.get(bytes[0]! << 8 | bytes[1]!);
      if (one?.raw === arrived.address(i) && one.port === arrived.port(i)) heard(one, bytes);
      else this.#ignored++;
    }
  }
}

function heard(one: Asked, bytes: Uint8Array): void {
  try {
    one.hear(bytes);
  } catch (error) {
    // One answer must not keep back those that came with it.
    reportError(error);
  }
}
