import { setImmediate } from "node:timers";
import { formatIpv4, parseIpv4 } from "../core/net.ts";
import { Problem } from "../core/problem.ts";
import type { Datagrams, Sender, TakeDatagram } from "../dns/transport.ts";
import { openLibc } from "./libc.ts";
import { BATCH, PacketBatch } from "./packet_batch.ts";

/** Of bits/socket.h, bits/eventfd.h, poll.h and asm-generic/errno.h, for x64 and arm64. */
const AF_INET = 2, SOCK_DGRAM = 2, SOCK_CLOEXEC = 0o2000000, MSG_DONTWAIT = 0x40;
const EFD_CLOEXEC = 0o2000000, EFD_NONBLOCK = 0o4000, POLLIN = 1;
const SOL_SOCKET = 1, SO_SNDBUF = 7, SO_RCVBUF = 8;
const EACCES = 13, EADDRINUSE = 98, EADDRNOTAVAIL = 99;
/** Batches that are read of one socket before others, and all else that waits, have their turn. */
const TURN = 4;
/** Bytes that may wait in the kernel each way; it gives as much of it as `net.core.[rw]mem_max` allows. */
const WAITING = 1 << 20;
/** Addresses whose text is kept. */
const MOST_TEXTS = 4096;

const SYMBOLS = {
  socket: { parameters: ["i32", "i32", "i32"], result: "i32" },
  setsockopt: { parameters: ["i32", "i32", "i32", "buffer", "u32"], result: "i32" },
  bind: { parameters: ["i32", "buffer", "u32"], result: "i32" },
  getsockname: { parameters: ["i32", "buffer", "buffer"], result: "i32" },
  close: { parameters: ["i32"], result: "i32" },
  recvmmsg: { parameters: ["i32", "buffer", "u32", "i32", "usize"], result: "i32" },
  sendmmsg: { parameters: ["i32", "buffer", "u32", "i32"], result: "i32" },
  eventfd: { parameters: ["u32", "i32"], result: "i32" },
  read: { parameters: ["i32", "buffer", "usize"], result: "isize" },
  write: { parameters: ["i32", "buffer", "usize"], result: "isize" },
  poll: { parameters: ["buffer", "usize", "i32"], result: "i32", nonblocking: true },
  look: { name: "poll", parameters: ["buffer", "usize", "i32"], result: "i32" },
  memset: { parameters: ["buffer", "i32", "usize"], result: "usize" },
  copyFrom: { name: "memcpy", parameters: ["buffer", "usize", "usize"], result: "usize" },
  __errno_location: { parameters: [], result: "usize" },
} as const;

interface Socket {
  readonly descriptor: number;
  readonly local: string;
  open: boolean;
  /** Set while it is heard. */
  heard: { readonly take: TakeDatagram; readonly done: () => void } | null;
}

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
  readonly #symbols: Deno.DynamicLibrary<typeof SYMBOLS>["symbols"];
  readonly #library: Deno.DynamicLibrary<typeof SYMBOLS>;
  readonly #in: PacketBatch;
  readonly #out: PacketBatch;
  readonly #single: PacketBatch;
  readonly #texts = new Map<number, string>();
  readonly #sockets = new Set<Socket>();
  readonly #one = new Uint8Array(new BigUint64Array([1n]).buffer);
  readonly #count = new Uint8Array(8);
  #wake = -1;
  #changed = false;

  constructor() {
    this.#library = openLibc(SYMBOLS);
    const symbols = this.#symbols = this.#library.symbols;
    // memset(3) answers where its first argument lies; Deno's own word for that wants every library.
    const addressOf = (memory: Uint8Array<ArrayBuffer>): bigint => symbols.memset(memory, 0, 0n);
    this.#in = new PacketBatch(addressOf);
    this.#out = new PacketBatch(addressOf);
    this.#single = new PacketBatch(addressOf, 1);
    if (this.#isTrue()) return;
    this.#library.close();
    throw new Problem(503, "The C library of this machine does not batch datagrams as expected");
  }

  /** Binds an address and port. Throws as `Deno.listenDatagram` does. */
  open(local: string, port: number): Datagrams {
    const socket: Socket = { descriptor: this.#bind(local, port), local, open: true, heard: null };
    return {
      receive: (take) => this.#hear(socket, take),
      send: (bytes, to) => {
        const raw = parseIpv4(to.address);
        if (!socket.open || raw === null || bytes.length > this.#single.packets[0]!.length) return;
        this.#single.packets[0]!.set(bytes);
        this.#single.direct(0, bytes.length, { raw, port: to.port });
        // Whoever is not there any more gets no answer.
        this.#symbols.sendmmsg(socket.descriptor, this.#single.headers, 1, MSG_DONTWAIT);
      },
      close: () => {
        if (!socket.open) return;
        socket.open = false;
        this.#symbols.close(socket.descriptor);
        this.#stir();
      },
    };
  }

  #hear(socket: Socket, take: TakeDatagram): Promise<void> {
    if (!socket.open) return Promise.resolve();
    return new Promise((done) => {
      socket.heard = { take, done };
      this.#sockets.add(socket);
      if (this.#wake >= 0) return this.#stir();
      this.#wake = this.#symbols.eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
      if (this.#wake < 0) throw new Problem(502, "The kernel gave nothing to be woken by");
      void this.#run();
    });
  }

  /** Ends the wait that runs, since there are other sockets now. */
  #stir(): void {
    this.#changed = true;
    if (this.#wake >= 0) this.#symbols.write(this.#wake, this.#one, 8n);
  }

  async #run(): Promise<void> {
    let list: readonly Socket[] = [];
    let waits = new Uint8Array(0);
    this.#changed = true;
    for (;;) {
      if (this.#changed) {
        this.#changed = false;
        this.#leaveClosed();
        if (this.#sockets.size === 0) break;
        list = [...this.#sockets];
        waits = waitList([this.#wake, ...list.map(({ descriptor }) => descriptor)]);
      }
      // A wait of its own thread costs more than many answers: while more has come meanwhile there is none.
      await nextTurn();
      const wanted = BigInt(list.length + 1);
      if (!this.#changed && this.#symbols.look(waits, wanted, 0) <= 0) {
        await this.#symbols.poll(waits, wanted, -1);
      }
      if (waits[6] !== 0) this.#symbols.read(this.#wake, this.#count, 8n);
      for (let i = 0; i < list.length; i++) {
        if (waits[8 * i + 14] !== 0) this.#serve(list[i]!);
      }
    }
    this.#symbols.close(this.#wake);
    this.#wake = -1;
  }

  #leaveClosed(): void {
    for (const socket of this.#sockets) {
      if (socket.open) continue;
      this.#sockets.delete(socket);
      socket.heard?.done();
    }
  }

  #serve(socket: Socket): void {
    const arrived = this.#in, answers = this.#out;
    const { descriptor, local, heard } = socket;
    for (let turn = 0; turn < TURN && socket.open && heard !== null; turn++) {
      arrived.ready();
      const count = this.#symbols.recvmmsg(descriptor, arrived.headers, BATCH, MSG_DONTWAIT, 0n);
      let ready = 0;
      for (let i = 0; i < count; i++) {
        const raw = arrived.address(i);
        const from: RawSender = { address: this.#text(raw), port: arrived.port(i), local, raw };
        const length = heard.take(arrived.received(i), answers.packets[ready]!, from);
        if (length > 0) answers.direct(ready++, length, from);
      }
      if (ready > 0 && socket.open) this.#say(descriptor, ready);
      if (count < BATCH) return;
    }
  }

  #say(descriptor: number, ready: number): void {
    for (let said = 0; said < ready;) {
      const headers = this.#out.headersFrom(said);
      const count = this.#symbols.sendmmsg(descriptor, headers, ready - said, MSG_DONTWAIT);
      // One that cannot be sent, for want of a route or of room, must not keep back the others.
      said += count > 0 ? count : 1;
    }
  }

  #text(raw: number): string {
    let text = this.#texts.get(raw);
    if (text === undefined) {
      if (this.#texts.size >= MOST_TEXTS) this.#texts.clear();
      this.#texts.set(raw, text = formatIpv4(raw));
    }
    return text;
  }

  #bind(address: string, port: number): number {
    const raw = parseIpv4(address);
    if (raw === null) throw new RangeError(`"${address}" is no IPv4 address`);
    const symbols = this.#symbols;
    const descriptor = symbols.socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0) throw new Problem(502, "The kernel gave no socket");
    const room = new Uint8Array(new Int32Array([WAITING]).buffer);
    for (const option of [SO_RCVBUF, SO_SNDBUF]) {
      symbols.setsockopt(descriptor, SOL_SOCKET, option, room, room.length);
    }
    const name = new Uint8Array(16); // struct sockaddr_in
    const view = new DataView(name.buffer);
    view.setUint16(0, AF_INET, true);
    view.setUint16(2, port);
    view.setUint32(4, raw);
    if (symbols.bind(descriptor, name, name.length) === 0) return descriptor;
    const error = bindError(this.#errno(), `${address}:${port}`);
    symbols.close(descriptor);
    throw error;
  }

  #errno(): number {
    const value = new Uint8Array(4);
    this.#symbols.copyFrom(value, this.#symbols.__errno_location(), 4n);
    return new DataView(value.buffer).getInt32(0, true);
  }

  /** Sends two datagrams to itself, and looks whether all came back as they must. */
  #isTrue(): boolean {
    const symbols = this.#symbols;
    const here = 0x7f000001;
    const descriptor = this.#bind("127.0.0.1", 0);
    try {
      const name = new Uint8Array(16), size = new Uint8Array([16, 0, 0, 0]);
      if (symbols.getsockname(descriptor, name, size) !== 0) return false;
      const port = name[2]! << 8 | name[3]!;
      const sent = [Uint8Array.of(1, 2, 3), Uint8Array.of(4, 5, 6, 7, 8)];
      sent.forEach((bytes, i) => {
        this.#out.packets[i]!.set(bytes);
        this.#out.direct(i, bytes.length, { raw: here, port });
      });
      if (symbols.sendmmsg(descriptor, this.#out.headers, 2, MSG_DONTWAIT) !== 2) return false;
      this.#in.ready();
      const count = symbols.recvmmsg(descriptor, this.#in.headers, BATCH, MSG_DONTWAIT, 0n);
      return count === 2 &&
        sent.every((bytes, i) =>
          String(this.#in.received(i)) === String(bytes) && this.#in.address(i) === here &&
          this.#in.port(i) === port
        );
    } finally {
      symbols.close(descriptor);
    }
  }
}

/** Lets all else that waits have its turn. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Descriptors as poll(2) takes them. */
function waitList(descriptors: readonly number[]): Uint8Array<ArrayBuffer> {
  const list = new Uint8Array(8 * descriptors.length);
  const view = new DataView(list.buffer);
  descriptors.forEach((descriptor, i) => {
    view.setInt32(8 * i, descriptor, true);
    view.setInt16(8 * i + 4, POLLIN, true);
  });
  return list;
}

function bindError(number: number, place: string): Error {
  if (number === EADDRINUSE) return new Deno.errors.AddrInUse(`${place} is in use`);
  if (number === EADDRNOTAVAIL) return new Deno.errors.AddrNotAvailable(`${place} is not here`);
  if (number === EACCES) return new Deno.errors.PermissionDenied(`${place} is not allowed`);
  return new Error(`${place} cannot be bound (errno ${number})`);
}
