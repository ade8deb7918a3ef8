import { MAX_DATAGRAM_BYTES } from "../../core/net/transport.ts";
import {
  AF_INET,
  IOVEC_SIZE,
  MMSGHDR_SIZE,
  MSG_DONTWAIT,
  SOCKADDR_IN_SIZE,
} from "../sockets/abi.ts";
import type { PacketSymbols } from "./packet_calls.ts";

/** Packets of one call of the kernel: most of the gain is there with half of it. */
export const BATCH_SIZE = 64;

/** Offsets in struct mmsghdr. */
const NAME_POINTER = 0, NAME_LENGTH = 8, VECTOR = 16, VECTORS = 24, FLAGS = 48, LENGTH = 56;

/** Bytes of packets up to which their views are kept: nearly all questions have fewer. */
const MAX_VIEWED_BYTES = 255;

/** What the batch is made with: answers where memory lies. */
export type AddressOf = (memory: Uint8Array<ArrayBuffer>) => bigint;

/**
 * Room for a batch of packets with their addresses, laid out as recvmmsg(2) and sendmmsg(2) take it.
 * It is one piece of memory that never moves, and all pointers in it are written once.
 */
export class PacketBatch {
  /** The headers, as the kernel takes them. */
  readonly headers: Uint8Array<ArrayBuffer>;
  /** The room of each packet. */
  readonly packets: readonly Uint8Array<ArrayBuffer>[];
  readonly #bytes: Uint8Array<ArrayBuffer>;
  readonly #words: Uint32Array<ArrayBuffer>;
  /** Views of what was received, by place and length: a question mostly has one that is there. */
  readonly #views: (Uint8Array<ArrayBuffer> | undefined)[][] = [];
  readonly #size: number;
  readonly #vectors: number;
  readonly #names: number;
  /** Places from the first on that are not ready to be received into. */
  #used: number;

  constructor(addressOf: AddressOf, size: number = BATCH_SIZE) {
    this.#size = this.#used = size;
    this.#vectors = size * MMSGHDR_SIZE;
    this.#names = this.#vectors + size * IOVEC_SIZE;
    const first = this.#names + size * SOCKADDR_IN_SIZE;
    const memory = new ArrayBuffer(first + size * MAX_DATAGRAM_BYTES);
    this.#bytes = new Uint8Array(memory);
    this.#words = new Uint32Array(memory);
    this.headers = new Uint8Array(memory, 0, size * MMSGHDR_SIZE);
    this.packets = Array.from(
      { length: size },
      (_, i) => new Uint8Array(memory, first + i * MAX_DATAGRAM_BYTES, MAX_DATAGRAM_BYTES),
    );
    const view = new DataView(memory);
    const base = addressOf(this.#bytes);
    const pointer = (at: number, to: number): void =>
      view.setBigUint64(at, base + BigInt(to), true);
    for (let i = 0; i < size; i++) {
      const header = i * MMSGHDR_SIZE, vector = this.#vectors + i * IOVEC_SIZE;
      pointer(header + NAME_POINTER, this.#names + i * SOCKADDR_IN_SIZE);
      pointer(header + VECTOR, vector);
      view.setBigUint64(header + VECTORS, 1n, true);
      pointer(vector, first + i * MAX_DATAGRAM_BYTES);
    }
  }

  /** Takes what waits at a socket, without waiting for more; answers how many packets that were. */
  receive(symbols: Pick<PacketSymbols, "recvmmsg">, descriptor: number): number {
    for (let i = 0; i < this.#used; i++) {
      this.#words[(i * MMSGHDR_SIZE + NAME_LENGTH) >> 2] = SOCKADDR_IN_SIZE;
      this.#words[(i * MMSGHDR_SIZE + FLAGS) >> 2] = 0;
      this.#words[(this.#vectors + i * IOVEC_SIZE + 8) >> 2] = MAX_DATAGRAM_BYTES;
    }
    const count = Math.max(
      0,
      symbols.recvmmsg(descriptor, this.headers, this.#size, MSG_DONTWAIT, null),
    );
    this.#used = Math.min(this.#size, count + 1);
    return count;
  }

  /** The packet that was received into a place. */
  received(place: number): Uint8Array<ArrayBuffer> {
    const length = Math.min(this.#words[(place * MMSGHDR_SIZE + LENGTH) >> 2]!, MAX_DATAGRAM_BYTES);
    if (length > MAX_VIEWED_BYTES) return this.packets[place]!.subarray(0, length);
    const views = this.#views[place] ??= new Array(MAX_VIEWED_BYTES + 1).fill(undefined);
    return views[length] ??= this.packets[place]!.subarray(0, length);
  }

  /** The IPv4 address that a packet came from. */
  address(place: number): number {
    const at = this.#names + place * SOCKADDR_IN_SIZE + 4, bytes = this.#bytes;
    return (bytes[at]! << 24 | bytes[at + 1]! << 16 | bytes[at + 2]! << 8 | bytes[at + 3]!) >>> 0;
  }

  /** The port that a packet came from. */
  port(place: number): number {
    const at = this.#names + place * SOCKADDR_IN_SIZE + 2;
    return this.#bytes[at]! << 8 | this.#bytes[at + 1]!;
  }

  /** Has a place's packet sent, so long, to this IPv4 address and port. */
  prepare(
    place: number,
    length: number,
    to: { readonly raw: number; readonly port: number },
  ): void {
    const at = this.#names + place * SOCKADDR_IN_SIZE, bytes = this.#bytes;
    bytes[at] = AF_INET;
    bytes[at + 1] = 0;
    bytes[at + 2] = to.port >>> 8;
    bytes[at + 3] = to.port & 255;
    bytes[at + 4] = to.raw >>> 24;
    bytes[at + 5] = to.raw >>> 16 & 255;
    bytes[at + 6] = to.raw >>> 8 & 255;
    bytes[at + 7] = to.raw & 255;
    this.#words[(place * MMSGHDR_SIZE + NAME_LENGTH) >> 2] = SOCKADDR_IN_SIZE;
    this.#words[(this.#vectors + place * IOVEC_SIZE + 8) >> 2] = Math.min(
      length,
      MAX_DATAGRAM_BYTES,
    );
  }

  /** The headers from a place on. */
  headersFrom(place: number): Uint8Array<ArrayBuffer> {
    return place === 0 ? this.headers : this.headers.subarray(place * MMSGHDR_SIZE);
  }
}
