import { Problem } from "../../core/errors/problem.ts";
import {
  AF_NETLINK,
  MSG_DONTWAIT,
  SO_RCVBUFFORCE,
  SOCK_CLOEXEC,
  SOCK_RAW,
  SOL_SOCKET,
} from "../sockets/abi.ts";
import { openLibc } from "../sockets/libc.ts";

/** A netlink protocol. */
export interface NetlinkFamily {
  /** Its number in linux/netlink.h. */
  readonly protocol: number;
  /** Its name in an error. */
  readonly about: string;
}

/** The packet filter: tables of nftables, and connections. */
const NETFILTER: NetlinkFamily = { protocol: 12, about: "the packet filter" };
/** Links, addresses, routes, rules and neighbours. */
export const ROUTE: NetlinkFamily = { protocol: 0, about: "links and routes" };
/** Radios: nl80211, a family of generic netlink. */
export const WIRELESS: NetlinkFamily = { protocol: 16, about: "Wi-Fi" };

/** A netlink socket: one request at a time. */
export interface Netlink {
  /**
   * Sends a message and returns the result of `read` for the first answer for which it is not null.
   * Throws Problem 502 when the kernel does not answer.
   */
  request<T>(
    message: (sequence: number) => Uint8Array<ArrayBuffer>,
    read: (answer: Uint8Array, sequence: number) => T | null,
  ): T;
  /**
   * Like {@link request}, but off the event loop while the kernel works. No other request may be made on
   * the socket meanwhile.
   */
  requestAsync<T>(
    message: (sequence: number) => Uint8Array<ArrayBuffer>,
    read: (answer: Uint8Array, sequence: number) => T | null,
  ): Promise<T>;
  /**
   * Sends a message whose answer comes in parts; returns its sequence number. Off the event loop, as the
   * kernel walks its table meanwhile. Throws Problem 502.
   */
  send(message: (sequence: number) => Uint8Array<ArrayBuffer>): Promise<number>;
  /** Like {@link send}, at once: for a request behind another that the kernel answered a moment ago. */
  sendNow(message: (sequence: number) => Uint8Array<ArrayBuffer>): number;
  /** The next part of such an answer, valid until the next call. Throws Problem 502. */
  receive(): Promise<Uint8Array>;
  /** Like {@link receive}, at once: for answers that are short. Throws Problem 502. */
  next(): Uint8Array;
  /** Sets an option of linux/netlink.h. False when the kernel does not know it. */
  option(name: number): boolean;
  /**
   * Passes every queued part to `take`, up to a limit. False when the queue overflowed and parts were
   * lost.
   */
  drain(take: (part: Uint8Array) => void, limit?: number): boolean;
  /** Joins or leaves a multicast group. False when the kernel refuses. */
  setMembership(group: number, on: boolean): boolean;
  close(): void;
}

const SOL_NETLINK = 270;
const NETLINK_ADD_MEMBERSHIP = 1;
const NETLINK_DROP_MEMBERSHIP = 2;
/** Bytes that the kernel queues for us: some ten thousand messages. */
const RECEIVE_BUFFER_BYTES = 8 * 1024 * 1024;
/** Answers to earlier requests that are skipped before giving up. */
const MAX_STALE_ANSWERS = 8;

const SYMBOLS = {
  socket: { parameters: ["i32", "i32", "i32"], result: "i32" },
  send: { parameters: ["i32", "buffer", "usize", "i32"], result: "isize" },
  recv: { parameters: ["i32", "buffer", "usize", "i32"], result: "isize" },
  sendLater: {
    name: "send",
    parameters: ["i32", "buffer", "usize", "i32"],
    result: "isize",
    nonblocking: true,
  },
  recvLater: {
    name: "recv",
    parameters: ["i32", "buffer", "usize", "i32"],
    result: "isize",
    nonblocking: true,
  },
  bind: { parameters: ["i32", "buffer", "u32"], result: "i32" },
  setsockopt: { parameters: ["i32", "i32", "i32", "buffer", "u32"], result: "i32" },
  close: { parameters: ["i32"], result: "i32" },
} as const;

/** Opens a socket for this network namespace. Throws Problem 503 where the kernel or libc refuses. */
export function openNetlink(family: NetlinkFamily = NETFILTER): Netlink {
  const library = openLibc(SYMBOLS);
  const socket = library.symbols.socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, family.protocol);
  // The kernel assigns an address; a socket without one receives no multicast messages.
  const address = new Uint16Array([AF_NETLINK, 0, 0, 0, 0, 0]);
  if (socket >= 0 && library.symbols.bind(socket, address, 12) === 0) {
    return onSocket(library, socket, family.about);
  }
  if (socket >= 0) library.symbols.close(socket);
  library.close();
  throw new Problem(503, `The kernel opens no netlink socket for ${family.about}`);
}

function onSocket(
  library: Deno.DynamicLibrary<typeof SYMBOLS>,
  socket: number,
  about: string,
): Netlink {
  const { symbols } = library;
  // The kernel fills parts of long answers up to this size.
  const answer = new Uint8Array(32 * 1024);
  let sequence = 0;
  const numbered = (
    message: (sequence: number) => Uint8Array<ArrayBuffer>,
  ): Uint8Array<ArrayBuffer> => {
    sequence = (sequence + 1) >>> 0;
    return message(sequence);
  };
  const requireSent = (sent: bigint | number, bytes: Uint8Array): void => {
    if (Number(sent) === bytes.length) return;
    throw new Problem(502, `The kernel took no request of ${about}`);
  };
  // The kernel has answered by the time that `send` or the last `recv` returns.
  const receive = (): Uint8Array | null => {
    const size = Number(symbols.recv(socket, answer, BigInt(answer.length), MSG_DONTWAIT));
    return size <= 0 ? null : answer.subarray(0, size);
  };
  const option = (level: number, name: number, value: number): boolean =>
    symbols.setsockopt(socket, level, name, new Int32Array([value]), 4) === 0;
  const noAnswer = (): Problem =>
    new Problem(502, `The kernel did not answer a request of ${about}`);
  const readAnswer = <T>(
    read: (answer: Uint8Array, sequence: number) => T | null,
    number: number,
  ): T => {
    for (let left = MAX_STALE_ANSWERS; left > 0; left--) {
      const part = receive();
      if (part === null) break;
      const result = read(part, number);
      if (result !== null) return result;
    }
    throw noAnswer();
  };
  return {
    send: async (message) => {
      const bytes = numbered(message);
      const number = sequence;
      requireSent(await symbols.sendLater(socket, bytes, BigInt(bytes.length), 0), bytes);
      return number;
    },
    sendNow: (message) => {
      const bytes = numbered(message);
      requireSent(symbols.send(socket, bytes, BigInt(bytes.length), 0), bytes);
      return sequence;
    },
    receive: async () => {
      const length = BigInt(answer.length);
      const size = Number(await symbols.recvLater(socket, answer, length, MSG_DONTWAIT));
      if (size <= 0) throw noAnswer();
      return answer.subarray(0, size);
    },
    drain: (take, limit = Infinity) => {
      let whole = true;
      // One error before the remaining parts reports the loss; two in a row are the end.
      for (let errors = 0, left = limit; errors < 2 && left > 0; left--) {
        const part = receive();
        if (part === null) {
          errors++;
          continue;
        }
        if (errors > 0) whole = false;
        errors = 0;
        take(part);
      }
      return whole;
    },
    setMembership: (group, on) => {
      if (on) option(SOL_SOCKET, SO_RCVBUFFORCE, RECEIVE_BUFFER_BYTES);
      return option(SOL_NETLINK, on ? NETLINK_ADD_MEMBERSHIP : NETLINK_DROP_MEMBERSHIP, group);
    },
    request: (message, read) => {
      const bytes = numbered(message);
      const number = sequence;
      requireSent(symbols.send(socket, bytes, BigInt(bytes.length), 0), bytes);
      return readAnswer(read, number);
    },
    requestAsync: async (message, read) => {
      const bytes = numbered(message);
      const number = sequence;
      requireSent(await symbols.sendLater(socket, bytes, BigInt(bytes.length), 0), bytes);
      return readAnswer(read, number);
    },
    next: () => {
      const part = receive();
      if (part === null) throw noAnswer();
      return part;
    },
    option: (name) => option(SOL_NETLINK, name, 1),
    close: (): void => {
      symbols.close(socket);
      library.close();
    },
  };
}
