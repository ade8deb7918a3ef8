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

/** What a socket speaks with the kernel about. */
export interface NetlinkFamily {
  /** Its number in linux/netlink.h. */
  readonly protocol: number;
  /** What it is called in an error. */
  readonly about: string;
}

/** The packet filter: tables of nftables, and connections. */
export const NETFILTER: NetlinkFamily = { protocol: 12, about: "the packet filter" };
/** Links, addresses, routes, rules and neighbours. */
export const ROUTE: NetlinkFamily = { protocol: 0, about: "links and routes" };

/** A socket to the kernel: one question at a time, answered at once. */
export interface Netlink {
  /**
   * Sends a message and answers what `read` makes of the first answer that it does not give null for.
   * Throws Problem 502 when the kernel gives none.
   */
  ask<T>(
    message: (sequence: number) => Uint8Array<ArrayBuffer>,
    read: (answer: Uint8Array, sequence: number) => T | null,
  ): T;
  /**
   * Like {@link ask}, but what the kernel does before it answers is done off the event loop. Nothing
   * else may be asked on the socket meanwhile.
   */
  askLater<T>(
    message: (sequence: number) => Uint8Array<ArrayBuffer>,
    read: (answer: Uint8Array, sequence: number) => T | null,
  ): Promise<T>;
  /**
   * Sends a message whose answer comes in parts; answers its number. Off the event loop, as the kernel
   * walks its table meanwhile. Throws Problem 502.
   */
  send(message: (sequence: number) => Uint8Array<ArrayBuffer>): Promise<number>;
  /** The next part of such an answer, valid until the next call. Throws Problem 502. */
  receive(): Promise<Uint8Array>;
  /** Like {@link receive}, at once: for answers that are short. Throws Problem 502. */
  next(): Uint8Array;
  /** Switches an option of linux/netlink.h on. False when the kernel has none of this number. */
  option(name: number): boolean;
  /**
   * Every part that the kernel holds ready, each given to `take`. False when the kernel had to leave
   * some out.
   */
  drain(take: (part: Uint8Array) => void): boolean;
  /** Joins or leaves a group of messages that the kernel sends unasked. False when it refuses. */
  follow(group: number, on: boolean): boolean;
  close(): void;
}

const SOL_NETLINK = 270;
const NETLINK_ADD_MEMBERSHIP = 1;
const NETLINK_DROP_MEMBERSHIP = 2;
/** Bytes that the kernel queues for us: some ten thousand messages. */
const RECEIVE_BUFFER_BYTES = 8 * 1024 * 1024;
/** Answers to earlier questions that are passed over before giving up. */
const MAX_STRAYS = 8;

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
  // The kernel gives it an address; messages to a group pass over a socket without one.
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
  const mustBeSent = (sent: bigint | number, bytes: Uint8Array): void => {
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
  const silent = (): Problem => new Problem(502, `The kernel did not answer a request of ${about}`);
  const answered = <T>(
    read: (answer: Uint8Array, sequence: number) => T | null,
    number: number,
  ): T => {
    for (let left = MAX_STRAYS; left > 0; left--) {
      const part = receive();
      if (part === null) break;
      const result = read(part, number);
      if (result !== null) return result;
    }
    throw silent();
  };
  return {
    send: async (message) => {
      const bytes = numbered(message);
      const number = sequence;
      mustBeSent(await symbols.sendLater(socket, bytes, BigInt(bytes.length), 0), bytes);
      return number;
    },
    receive: async () => {
      const length = BigInt(answer.length);
      const size = Number(await symbols.recvLater(socket, answer, length, MSG_DONTWAIT));
      if (size <= 0) throw silent();
      return answer.subarray(0, size);
    },
    drain: (take) => {
      let whole = true;
      // What was lost is told by one error in front of what is left; two in a row are the end.
      for (let errors = 0; errors < 2;) {
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
    follow: (group, on) => {
      if (on) option(SOL_SOCKET, SO_RCVBUFFORCE, RECEIVE_BUFFER_BYTES);
      return option(SOL_NETLINK, on ? NETLINK_ADD_MEMBERSHIP : NETLINK_DROP_MEMBERSHIP, group);
    },
    ask: (message, read) => {
      const bytes = numbered(message);
      const number = sequence;
      mustBeSent(symbols.send(socket, bytes, BigInt(bytes.length), 0), bytes);
      return answered(read, number);
    },
    askLater: async (message, read) => {
      const bytes = numbered(message);
      const number = sequence;
      mustBeSent(await symbols.sendLater(socket, bytes, BigInt(bytes.length), 0), bytes);
      return answered(read, number);
    },
    next: () => {
      const part = receive();
      if (part === null) throw silent();
      return part;
    },
    option: (name) => option(SOL_NETLINK, name, 1),
    close: (): void => {
      symbols.close(socket);
      library.close();
    },
  };
}
