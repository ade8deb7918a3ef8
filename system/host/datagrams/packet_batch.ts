import { MAX_DATAGRAM_BYTES } from "../../core/net/transport.ts";
import {
  AF_INET,
  IOVEC_SIZE,
  MMSGHDR_SIZE,
  MSG_DONTWAIT,
  SOCKADDR_IN_SIZE,
} from "../sockets/abi.ts";
import type { PacketSymbols } from "./packet_calls.ts";

/** Packets per system call; half of it already gives most of the gain. */
export const BATCH_SIZE = 64;

/** Offsets in struct mmsghdr. */
const NAME_POINTER = 0, NAME_LENGTH = 8, VECTOR = 16, VECTORS = 24, FLAGS = 48, LENGTH = 56;

/** Views of packets up to this length are cached: nearly all queries are shorter. */
const MAX_VIEWED_BYTES = 255;

/** Returns the address of memory. */
export type AddressOf = (memory: Uint8Array<ArrayBuffer>) => bigint;

/**
 * Buffers for a batch of packets with their addresses, laid out for recvmmsg(2) and sendmmsg(2).
 * It is one allocation that never moves, and its pointers are written once.
 */
export class PacketBatch {
  /** The headers, as the kernel takes them. */
  readonly headers: Uint8Array<ArrayBuffer>;
  /** The buffer of each packet. */
  readonly packets: readonly Uint8Array<ArrayBuffer>[];
  readonly #bytes: Uint8Array<ArrayBuffer>;
  readonly #words: Uint32Array<ArrayBuffer>;
  /** Views of received packets, by slot and length. */
  readonly #views: (Uint8Array<ArrayBuffer> | undefined)[][] = [];
  readonly #size: number;
  readonly #vectors: number;
  readonly #names: number;
  /** Number of slots, from the first on, that must be reset before receiving. */
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

  /** Receives what a socket has without blocking; returns the number of packets. */
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

  /** The packet received into a slot. */
  received(slot: number): Uint8Array<ArrayBuffer> {
    const length = Math.min(this.#words[(slot * MMSGHDR_SIZE + LENGTH) >> 2]!, MAX_DATAGRAM_BYTES);
    if (length > MAX_VIEWED_BYTES) return this.packets[slot]!.subarray(0, length);
    const views = this.#views[slot] ??= new Array(MAX_VIEWED_BYTES + 1).fill(undefined);
    return views[length] ??= this.packets[slot]!.subarray(0, length);
  }

  /** The IPv4 address that a packet came from. */
  address(slot: number): number {
    const at = this.#names + slot * SOCKADDR_IN_SIZE + 4, bytes = this.#bytes;
    return (bytes[at]! << 24 | bytes[at + 1]! << 16 | bytes[at + 2]! << 8 | bytes[at + 3]!) >>> 0;
  }

  /** The port that a packet came from. */
  port(slot: number): number {
    const at = this.#names + slot * SOCKADDR_IN_SIZE + 2;
    return this.#bytes[at]! << 8 | this.#bytes[at + 1]!;
  }

  /** Prepares a slot's packet of this length for sending to an IPv4 address and port. */
  prepare(
    slot: number,
    length: number,
    to: { readonly raw: number; readonly port: number },
  ): void {
    const at = this.#names + slot * SOCKADDR_IN_SIZE, bytes = this.#bytes;
    bytes[at] = AF_INET;
    bytes[at + 1] = 0;
    bytes[at + 2] = to.port >>> 8;
    bytes[at + 3] = to.port & 255;
    bytes[at + 4] = to.raw >>> 24;
    bytes[at + 5] = to.raw >>> 16 & 255;
    bytes[at + 6] = to.raw >>> 8 & 255;
    bytes[at + 7] = to.raw & 255;
    this.#words[(slot * MMSGHDR_SIZE + NAME_LENGTH) >> 2] = SOCKADDR_IN_SIZE;
    this.#words[(this.#vectors + slot * IOVEC_SIZE + 8) >> 2] = Math.min(
      length,
      MAX_DATAGRAM_BYTES,
    );
  }

  /** The headers from a slot on. */
  headersFrom(slot: number): Uint8Array<ArrayBuffer> {
    return slot === 0 ? this.headers : this.headers.subarray(slot * MMSGHDR_SIZE);
  }
}
