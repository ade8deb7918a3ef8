import { parseIpv4 } from "../../core/net/net.ts";
import { Problem } from "../../core/errors/problem.ts";
import { openLibc } from "../sockets/libc.ts";

/** Of bits/socket.h, sys/epoll.h, bits/eventfd.h and asm-generic/errno.h, for x64 and arm64. */
const AF_INET = 2, SOCK_DGRAM = 2, SOCK_CLOEXEC = 0o2000000;
const EFD_CLOEXEC = 0o2000000, EFD_NONBLOCK = 0o4000;
const EPOLL_CLOEXEC = 0o2000000, EPOLL_CTL_ADD = 1, EPOLL_CTL_DEL = 2, EPOLLIN = 1, POLLIN = 1;
const SOL_SOCKET = 1, SO_SNDBUF = 7, SO_RCVBUF = 8;
const ENOENT = 2, EACCES = 13, EADDRINUSE = 98, EADDRNOTAVAIL = 99;

/** Bytes that may wait in the kernel each way; it gives as much of it as `net.core.[rw]mem_max` allows. */
const WAITING = 1 << 20;

/** struct sockaddr_in, and struct epoll_event, which is packed on x64 alone. */
const NAME = 16;
const EVENT = Deno.build.arch === "x86_64" ? 12 : 16;
const EVENT_DATA = EVENT - 8;
/** struct pollfd. */
const POLLED = 8;
/** Sockets that one wait tells of. */
const EVENTS = 64;

/** What {@link PacketCalls.readyAt} answers for what is no socket: {@link PacketCalls.wake}, and the runtime. */
export const WOKEN = -1, RUNTIME = -2;

/** Of bits/time.h. */
const CLOCK_MONOTONIC = 1;

/** Flag of reading and sending: never wait. */
export const MSG_DONTWAIT = 0x40;

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
  poll: { parameters: ["buffer", "usize", "i32"], result: "i32" },
  usleep: { parameters: ["u32"], result: "i32", nonblocking: true },
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
  #runtime = -1;
  readonly #event = new Uint8Array(EVENT);
  readonly #events = new Uint8Array(EVENT * EVENTS);
  readonly #view = new DataView(this.#events.buffer);
  /** The sleeping call's own. Another thread writes to it, so it must not move, as small arrays may. */
  readonly #asleep = new Uint8Array(new ArrayBuffer(EVENT));
  readonly #one = new Uint8Array(new BigUint64Array([1n]).buffer);
  readonly #count = new Uint8Array(8);
  readonly #time = new Uint32Array(new ArrayBuffer(16));
  /** What the runtime's own clock is ahead. */
  readonly #ahead: number;

  /** Throws Problem 503 where the C library may not be used, 502 when the kernel gives nothing to wait with. */
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

  /** Milliseconds as `performance.now` tells them, for a third of its cost. */
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
    if (descriptor < 0) throw new Problem(502, "The kernel gave no socket");
    const room = new Uint8Array(new Int32Array([WAITING]).buffer);
    for (const option of [SO_RCVBUF, SO_SNDBUF]) {
      symbols.setsockopt(descriptor, SOL_SOCKET, option, room, room.length);
    }
    const name = new Uint8Array(NAME);
    const view = new DataView(name.buffer);
    view.setUint16(0, AF_INET, true);
    view.setUint16(2, port);
    view.setUint32(4, raw);
    if (symbols.bind(descriptor, name, name.length) === 0) return descriptor;
    const error = bindError(this.#errno(), `${address}:${port}`);
    symbols.close(descriptor);
    throw error;
  }

  /** The port that a socket is bound to; 0 when that cannot be told. */
  portOf(descriptor: number): number {
    const name = new Uint8Array(NAME), size = new Uint8Array([NAME, 0, 0, 0]);
    if (this.symbols.getsockname(descriptor, name, size) !== 0) return 0;
    return name[2]! << 8 | name[3]!;
  }

  /** Has a socket waited for until it is closed. Throws Problem 502 when the kernel does not. */
  watch(descriptor: number): void {
    if (!this.#add(descriptor)) throw new Problem(502, "The kernel does not wait for a socket");
  }

  /** True while what the runtime waits for is waited for too: then {@link readyAt} tells of it. */
  get hearsRuntime(): boolean {
    return this.#runtime >= 0;
  }

  /** Has what the runtime waits for waited for too, but while asleep: see runtime_bell.ts. */
  hearRuntime(descriptor: number): void {
    if (this.#add(descriptor)) this.#runtime = descriptor;
  }

  /** True for a descriptor of epoll(7) that is another's. */
  isWaiter(descriptor: number): boolean {
    if (descriptor === this.#set) return false;
    // It has nothing of ours to give back, and says so; any other says that it is none.
    const { symbols } = this;
    return symbols.epoll_ctl(descriptor, EPOLL_CTL_DEL, this.#waker, this.#event) !== 0 &&
      this.#errno() === ENOENT;
  }

  /** Those descriptors that have something now, or that wait has it after so many milliseconds. Takes nothing. */
  readable(descriptors: readonly number[], milliseconds: number): readonly number[] {
    const list = new Uint8Array(new ArrayBuffer(Math.max(1, descriptors.length) * POLLED));
    const view = new DataView(list.buffer);
    descriptors.forEach((descriptor, i) => {
      view.setInt32(i * POLLED, descriptor, true);
      view.setInt16(i * POLLED + 4, POLLIN, true);
    });
    this.symbols.poll(list, BigInt(descriptors.length), milliseconds);
    return descriptors.filter((_, i) => view.getInt16(i * POLLED + 6, true) !== 0);
  }

  /** Closes a socket, which is no longer waited for. */
  close(descriptor: number): void {
    this.symbols.epoll_ctl(this.#set, EPOLL_CTL_DEL, descriptor, this.#event);
    this.symbols.close(descriptor);
  }

  /** Waits at most so many milliseconds, holding the thread; answers how many sockets have something. */
  wait(milliseconds: number): number {
    return Math.max(0, this.symbols.epoll_wait(this.#set, this.#events, EVENTS, milliseconds));
  }

  /** Waits beside the thread until a socket has something, or {@link wake}; it takes nothing. */
  async sleep(): Promise<void> {
    const { symbols } = this, runtime = this.#runtime;
    // The runtime looks by itself while its thread has nothing to do.
    if (runtime >= 0) symbols.epoll_ctl(this.#set, EPOLL_CTL_DEL, runtime, this.#event);
    await symbols.sleep(this.#set, this.#asleep, 1, -1);
    if (runtime >= 0 && !this.#add(runtime)) this.#runtime = -1;
  }

  /**
   * Rests beside the thread for some microseconds: the runtime looks at files and connections only when
   * it has nothing else to do, and so not at all while one turn leads to the next.
   */
  async rest(): Promise<void> {
    await this.symbols.usleep(1);
  }

  /** The socket that has something, by its place in what {@link wait} found, or {@link WOKEN}, {@link RUNTIME}. */
  readyAt(place: number): number {
    const descriptor = this.#view.getInt32(place * EVENT + EVENT_DATA, true);
    if (descriptor === this.#runtime) return RUNTIME;
    if (descriptor !== this.#waker) return descriptor;
    this.symbols.read(this.#waker, this.#count, 8n);
    return WOKEN;
  }

  /** Ends the sleep that is under way, or the next one. */
  wake(): void {
    this.symbols.write(this.#waker, this.#one, 8n);
  }

  /** Gives everything back. Nothing may be called any more. */
  end(): void {
    for (const descriptor of [this.#set, this.#waker]) {
      if (descriptor >= 0) this.symbols.close(descriptor);
    }
    this.#library.close();
  }

  #add(descriptor: number): boolean {
    const view = new DataView(this.#event.buffer);
    view.setUint32(0, EPOLLIN, true);
    view.setInt32(EVENT_DATA, descriptor, true);
    return this.symbols.epoll_ctl(this.#set, EPOLL_CTL_ADD, descriptor, this.#event) === 0;
  }

  #errno(): number {
    const value = new Uint8Array(4);
    this.symbols.copyFrom(value, this.symbols.__errno_location(), 4n);
    return new DataView(value.buffer).getInt32(0, true);
  }
}

function bindError(number: number, place: string): Error {
  if (number === EADDRINUSE) return new Deno.errors.AddrInUse(`${place} is in use`);
  if (number === EADDRNOTAVAIL) return new Deno.errors.AddrNotAvailable(`${place} is not here`);
  if (number === EACCES) return new Deno.errors.PermissionDenied(`${place} is not allowed`);
  return new Error(`${place} cannot be bound (errno ${number})`);
}
