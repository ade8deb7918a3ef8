import type { PacketSymbols } from "./packet_calls.ts";
import { MSG_DONTWAIT } from "../sockets/abi.ts";
import { type AddressOf, BATCH_SIZE, PacketBatch } from "./packet_batch.ts";

/** Where a packet goes. */
export interface Destination {
  /** IPv4 address as a number without sign. */
  readonly raw: number;
  readonly port: number;
}

/** Packets that are gathered and handed to the kernel together, those of one socket at a time. */
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

  /** Takes a packet over; false for one that is longer than a datagram of ours may be. */
  add(descriptor: number, bytes: Uint8Array, to: Destination): boolean {
    if (descriptor !== this.#descriptor || this.#count === BATCH_SIZE) this.flush();
    const room = this.#batch.packets[this.#count]!;
    if (bytes.length > room.length) return false;
    this.#descriptor = descriptor;
    room.set(bytes);
    this.#batch.prepare(this.#count++, bytes.length, to);
    return true;
  }

  /** Hands over what was gathered; to be called before its socket is closed. */
  flush(): void {
    const count = this.#count;
    this.#count = 0;
    if (count > 0) sendAll(this.#symbols, this.#descriptor, this.#batch, count);
  }
}

/** Sends the first packets of a batch. Who is not there any more gets none. */
export function sendAll(
  symbols: Pick<PacketSymbols, "sendmmsg">,
  descriptor: number,
  batch: PacketBatch,
  count: number,
): void {
  for (let said = 0; said < count;) {
    const headers = batch.headersFrom(said);
    const sent = symbols.sendmmsg(descriptor, headers, count - said, MSG_DONTWAIT);
    // One that cannot be sent, for want of a route or of room, must not keep back the others.
    said += sent > 0 ? sent : 1;
  }
}
