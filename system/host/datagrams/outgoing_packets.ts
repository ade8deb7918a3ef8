import type { PacketSymbols } from "./packet_calls.ts";
import { MSG_DONTWAIT } from "../sockets/abi.ts";
import { type AddressOf, BATCH_SIZE, PacketBatch } from "./packet_batch.ts";

/** Where a packet goes. */
export interface Destination {
  /** IPv4 address as a number without sign. */
  readonly raw: number;
  readonly port: number;
}

/** Packets that are sent in batches, those of one socket at a time. */
export class OutgoingPackets {
  readonly #symbols: Pick<PacketSymbols, "sendmmsg">;
  readonly #batch: PacketBatch;
  #descriptor = -1;
  #count = 0;

  constructor(symbols: Pick<PacketSymbols, "sendmmsg">, addressOf: AddressOf) {
    this.#symbols = symbols;
    this.#batch = new PacketBatch(addressOf);
  }

  get size(): number {
    return this.#count;
  }

  /** Queues a packet; false when it is too long. */
  add(descriptor: number, bytes: Uint8Array, to: Destination): boolean {
    if (descriptor !== this.#descriptor || this.#count === BATCH_SIZE) this.flush();
    const room = this.#batch.packets[this.#count]!;
    if (bytes.length > room.length) return false;
    this.#descriptor = descriptor;
    room.set(bytes);
    this.#batch.prepare(this.#count++, bytes.length, to);
    return true;
  }

  /** Sends the queued packets; must be called before their socket is closed. */
  flush(): void {
    const count = this.#count;
    this.#count = 0;
    if (count > 0) sendAll(this.#symbols, this.#descriptor, this.#batch, count);
  }
}

/** Sends the first packets of a batch; unreachable destinations are skipped. */
export function sendAll(
  symbols: Pick<PacketSymbols, "sendmmsg">,
  descriptor: number,
  batch: PacketBatch,
  count: number,
): void {
  for (let done = 0; done < count;) {
    const headers = batch.headersFrom(done);
    const sent = symbols.sendmmsg(descriptor, headers, count - done, MSG_DONTWAIT);
    // A packet that fails, without a route or buffer, must not hold up the others.
    done += sent > 0 ? sent : 1;
  }
}
