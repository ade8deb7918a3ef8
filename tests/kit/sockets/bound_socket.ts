import { parseIpv4 } from "../../../system/core/net/net.ts";
import { Problem } from "../../../system/core/errors/problem.ts";
import {
  AF_INET,
  SO_BINDTODEVICE,
  SO_BROADCAST,
  SO_RCVTIMEO,
  SO_REUSEADDR,
  SOCK_CLOEXEC,
  SOCK_DGRAM,
  SOCKADDR_IN_SIZE,
  SOL_SOCKET,
} from "../../../system/host/sockets/abi.ts";
import { ipv4Address } from "../../../system/host/sockets/socket_address.ts";
import { cText, openLibc } from "../../../system/host/sockets/libc.ts";

/** Largest datagram that is read; DHCP messages are far smaller. */
const LARGEST = 2048;

const SYMBOLS = {
  socket: { parameters: ["i32", "i32", "i32"], result: "i32" },
  setsockopt: { parameters: ["i32", "i32", "i32", "buffer", "u32"], result: "i32" },
  bind: { parameters: ["i32", "buffer", "u32"], result: "i32" },
  close: { parameters: ["i32"], result: "i32" },
  sendto: { parameters: ["i32", "buffer", "usize", "i32", "buffer", "u32"], result: "isize" },
  recvfrom: {
    parameters: ["i32", "buffer", "usize", "i32", "buffer", "buffer"],
    result: "isize",
    nonblocking: true,
  },
} as const;

/** A UDP socket of one interface: it hears and speaks there and nowhere else, with or without an address. */
export interface BoundSocket {
  /** The next datagram, or null when it was closed. */
  receive(): Promise<Uint8Array | null>;
  /** False when the kernel refused it, for example for want of a route. */
  send(bytes: Uint8Array<ArrayBuffer>, address: string, port: number): boolean;
  close(): void;
}

let library: Deno.DynamicLibrary<typeof SYMBOLS> | undefined;

function libc(): Deno.DynamicLibrary<typeof SYMBOLS> {
  return library ??= openLibc(SYMBOLS);
}

/**
 * Opens a UDP socket on a port of one interface (SO_BINDTODEVICE, socket(7)), which Deno's own cannot
 * do. Throws Problem 502 when the kernel refuses.
 */
export function bindSocket(link: string, port: number): BoundSocket {
  const { symbols } = libc();
  const descriptor = symbols.socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) throw new Problem(502, "The kernel refused a socket");
  const set = (option: number, value: Uint8Array<ArrayBuffer>): boolean =>
    symbols.setsockopt(descriptor, SOL_SOCKET, option, value, value.length) === 0;
  const one = new Uint8Array(new Int32Array([1]).buffer);
  // A second, so that a closed socket is noticed: a blocked call cannot be taken back.
  const wait = new Uint8Array(new BigInt64Array([1n, 0n]).buffer);
  const name = cText(link);
  const ready = set(SO_REUSEADDR, one) && set(SO_BROADCAST, one) && set(SO_RCVTIMEO, wait) &&
    set(SO_BINDTODEVICE, name) &&
    symbols.bind(descriptor, ipv4Address(0, port), SOCKADDR_IN_SIZE) === 0;
  if (!ready) {
    symbols.close(descriptor);
    throw new Problem(502, `The kernel refused UDP port ${port} on ${link}`);
  }
  return new Bound(descriptor);
}

class Bound implements BoundSocket {
  readonly #descriptor: number;
  #open = true;
  #reading = false;

  constructor(descriptor: number) {
    this.#descriptor = descriptor;
  }

  async receive(): Promise<Uint8Array | null> {
    const buffer = new Uint8Array(LARGEST);
    while (this.#open) {
      this.#reading = true;
      const length = Number(
        await libc().symbols.recvfrom(this.#descriptor, buffer, BigInt(LARGEST), 0, null, null),
      );
      this.#reading = false;
      if (!this.#open) break;
      if (length >= 0) return buffer.subarray(0, length);
    }
    this.#end();
    return null;
  }

  send(bytes: Uint8Array<ArrayBuffer>, address: string, port: number): boolean {
    if (!this.#open) return false;
    const sent = libc().symbols.sendto(
      this.#descriptor,
      bytes,
      BigInt(bytes.length),
      0,
      ipv4Address(number(address), port),
      SOCKADDR_IN_SIZE,
    );
    return Number(sent) === bytes.length;
  }

  close(): void {
    if (!this.#open) return;
    this.#open = false;
    // While a call reads from it, its number must not be given to another file.
    if (!this.#reading) this.#end();
  }

  #ended = false;
  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    libc().symbols.close(this.#descriptor);
  }
}

function number(address: string): number {
  const value = parseIpv4(address);
  if (value === null) throw new RangeError(`"${address}" is no IPv4 address`);
  return value;
}
