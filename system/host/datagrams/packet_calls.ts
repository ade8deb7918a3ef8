import { parseIpv4 } from "../../core/net/net.ts";
import { Problem } from "../../core/errors/problem.ts";
import {
  AF_INET,
  CLOCK_MONOTONIC,
  EACCES,
  EADDRINUSE,
  EADDRNOTAVAIL,
  EFD_CLOEXEC,
  EFD_NONBLOCK,
  EPOLL_CLOEXEC,
  EPOLL_CTL_ADD,
  EPOLL_CTL_DEL,
  EPOLL_EVENT_DATA,
  EPOLL_EVENT_SIZE,
  EPOLLIN,
  SO_RCVBUF,
  SO_SNDBUF,
  SOCK_CLOEXEC,
  SOCK_DGRAM,
  SOCKADDR_IN_SIZE,
  SOL_SOCKET,
} from "../sockets/abi.ts";
import { openLibc } from "../sockets/libc.ts";

/** Bytes that the kernel may buffer each way, as far as `net.core.[rw]mem_max` allows. */
const SOCKET_BUFFER_BYTES = 1 << 20;

/** Sockets that one wait reports at most. */
const MAX_EVENTS = 64;

/** What {@link PacketCalls.readyAt} returns for {@link PacketCalls.wake}, which is no socket. */
export const WOKEN = -1;

const SYMBOLS = {
  socket: { parameters: ["i32", "i32", "i32"], result: "i32" },
  setsockopt: { parameters: ["i32", "i32", "i32", "buffer", "u32"], result: "i32" },
  bind: { parameters: ["i32", "buffer", "u32"], result: "i32" },
  getsockname: { parameters: ["i32", "buffer", "buffer"], result: "i32" },
  close: { parameters: ["i32"], result: "i32" },
  // A "buffer" that is null costs half of what a number of 64 bits does.
  recvmmsg: { parameters: ["i32", "buffer", "u32", "i32", "buffer"], result: "i32" },
  sendmmsg: { parameters: ["i32", "buffer", "u32", "i32"], result: "i32" },
  eventfd: { parameters: ["u32", "i32"], result: "i32" },
  read: { parameters: ["i32", "buffer", "usize"], result: "isize" },
  write: { parameters: ["i32", "buffer", "usize"], result: "isize" },
  epoll_create1: { parameters: ["i32"], result: "i32" },
  epoll_ctl: { parameters: ["i32", "i32", "i32", "buffer"], result: "i32" },
  epoll_wait: { parameters: ["i32", "buffer", "i32", "i32"], result: "i32" },
  sleep: {
    name: "epoll_wait",
    parameters: ["i32", "buffer", "i32", "i32"],
    result: "i32",
    nonblocking: true,
  },
  clock_gettime: { parameters: ["i32", "buffer"], result: "i32" },
  sched_yield: { parameters: [], result: "i32", nonblocking: true },
  memset: { parameters: ["buffer", "i32", "usize"], result: "usize" },
  copyFrom: { name: "memcpy", parameters: ["buffer", "usize", "usize"], result: "usize" },
  __errno_location: { parameters: [], result: "usize" },
} as const;

/** The calls of the C library, as they are. */
export type PacketSymbols = Deno.DynamicLibrary<typeof SYMBOLS>["symbols"];

/** Opens sockets of IPv4 datagrams, and waits for all of them in one call. */
export class PacketCalls {
  readonly symbols: PacketSymbols;
  readonly #library: Deno.DynamicLibrary<typeof SYMBOLS>;
  readonly #set: number;
  readonly #waker: number;
  readonly #event = new Uint8Array(EPOLL_EVENT_SIZE);
  readonly #events = new Uint8Array(EPOLL_EVENT_SIZE * MAX_EVENTS);
  readonly #view = new DataView(this.#events.buffer);
  /** The sleeping call's own. Another thread writes to it, so it must not move, as small arrays may. */
  readonly #asleep = new Uint8Array(new ArrayBuffer(EPOLL_EVENT_SIZE));
  readonly #one = new Uint8Array(new BigUint64Array([1n]).buffer);
  readonly #count = new Uint8Array(8);
  readonly #time = new Uint32Array(new ArrayBuffer(16));
  /** What the runtime's own clock is ahead. */
  readonly #ahead: number;

  /** Throws Problem 503 where the C library is not usable, 502 when the kernel refuses epoll or eventfd. */
  constructor() {
    this.#library = openLibc(SYMBOLS);
    this.symbols = this.#library.symbols;
    this.#set = this.symbols.epoll_create1(EPOLL_CLOEXEC);
    this.#waker = this.symbols.eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (this.#set < 0 || this.#waker < 0) {
      this.end();
      throw new Problem(502, "The kernel gave nothing to wait with");
    }
    this.watch(this.#waker);
    this.#ahead = 0;
    this.#ahead = performance.now() - this.now();
  }

  /** Milliseconds of `performance.now`, at a third of its cost. */
  now(): number {
    const time = this.#time;
    this.symbols.clock_gettime(CLOCK_MONOTONIC, time);
    return time[0]! * 1000 + time[2]! / 1e6 + this.#ahead;
  }

  /** Where memory lies: memset(3) answers it; Deno's own word for that wants every library. */
  addressOf(memory: Uint8Array<ArrayBuffer>): bigint {
    return this.symbols.memset(memory, 0, 0n);
  }

  /** A bound socket. Throws as `Deno.listenDatagram` does. */
  bind(address: string, port: number): number {
    const raw = parseIpv4(address);
    if (raw === null) throw new RangeError(`"${address}" is no IPv4 address`);
    const { symbols } = this;
    const descriptor = symbols.socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0) throw new Problem(502, "The kernel refused a socket");
    const room = new Uint8Array(new Int32Array([SOCKET_BUFFER_BYTES]).buffer);
    for (const option of [SO_RCVBUF, SO_SNDBUF]) {
      symbols.setsockopt(descriptor, SOL_SOCKET, option, room, room.length);
    }
    const name = new Uint8Array(SOCKADDR_IN_SIZE);
    const view = new DataView(name.buffer);
    view.setUint16(0, AF_INET, true);
    view.setUint16(2, port);
    view.setUint32(4, raw);
    if (symbols.bind(descriptor, name, name.length) === 0) return descriptor;
    const error = bindError(this.#errno(), `${address}:${port}`);
    symbols.close(descriptor);
    throw error;
  }

  /** The port that a socket is bound to; 0 when unknown. */
  portOf(descriptor: number): number {
    const name = new Uint8Array(SOCKADDR_IN_SIZE),
      size = new Uint8Array([SOCKADDR_IN_SIZE, 0, 0, 0]);
    if (this.symbols.getsockname(descriptor, name, size) !== 0) return 0;
    return name[2]! << 8 | name[3]!;
  }

  /** Has a socket waited for until it is closed. Throws Problem 502 when the kernel does not. */
  watch(descriptor: number): void {
    if (!this.#add(descriptor)) throw new Problem(502, "The kernel does not wait for a socket");
  }

  /** Closes a socket, which is no longer waited for. */
  close(descriptor: number): void {
    this.symbols.epoll_ctl(this.#set, EPOLL_CTL_DEL, descriptor, this.#event);
    this.symbols.close(descriptor);
  }

  /** Waits at most so many milliseconds, holding the thread; answers how many sockets have something. */
  wait(milliseconds: number): number {
    return Math.max(0, this.symbols.epoll_wait(this.#set, this.#events, MAX_EVENTS, milliseconds));
  }

  /** Has another thread wait until a socket has packets, or {@link wake}; it reads nothing. */
  async sleep(): Promise<void> {
    await this.symbols.sleep(this.#set, this.#asleep, 1, -1);
  }

  /** Leaves the thread for some microseconds: with nothing to run the runtime polls its own files and connections. */
  async yieldThread(): Promise<void> {
    await this.symbols.sched_yield();
  }

  /** The socket that is ready, by its index in what {@link wait} found, or {@link WOKEN}. */
  readyAt(index: number): number {
    const descriptor = this.#view.getInt32(index * EPOLL_EVENT_SIZE + EPOLL_EVENT_DATA, true);
    if (descriptor !== this.#waker) return descriptor;
    this.symbols.read(this.#waker, this.#count, 8n);
    return WOKEN;
  }

  /** Ends the current sleep, or the next one. */
  wake(): void {
    this.symbols.write(this.#waker, this.#one, 8n);
  }

  /** Frees everything; the object must not be used afterwards. */
  end(): void {
    for (const descriptor of [this.#set, this.#waker]) {
      if (descriptor >= 0) this.symbols.close(descriptor);
    }
    this.#library.close();
  }

  #add(descriptor: number): boolean {
    const view = new DataView(this.#event.buffer);
    view.setUint32(0, EPOLLIN, true);
    view.setInt32(EPOLL_EVENT_DATA, descriptor, true);
    return this.symbols.epoll_ctl(this.#set, EPOLL_CTL_ADD, descriptor, this.#event) === 0;
  }

  #errno(): number {
    const value = new Uint8Array(4);
    this.symbols.copyFrom(value, this.symbols.__errno_location(), 4n);
    return new DataView(value.buffer).getInt32(0, true);
  }
}

function bindError(number: number, address: string): Error {
  if (number === EADDRINUSE) return new Deno.errors.AddrInUse(`${address} is in use`);
  if (number === EADDRNOTAVAIL) return new Deno.errors.AddrNotAvailable(`${address} is not here`);
  if (number === EACCES) return new Deno.errors.PermissionDenied(`${address} is not allowed`);
  return new Error(`${address} cannot be bound (errno ${number})`);
}
