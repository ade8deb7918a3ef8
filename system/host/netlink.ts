import { Problem } from "../core/problem.ts";
import { LIBRARY_PATHS } from "./libnftables.ts";

/** A socket to the kernel's packet filter: one question at a time, answered at once. */
export interface Netlink {
  /**
   * Sends a message and answers what `read` makes of the first answer that it does not give null for.
   * Throws Problem 502 when the kernel gives none.
   */
  ask<T>(
    message: (sequence: number) => Uint8Array<ArrayBuffer>,
    read: (answer: Uint8Array, sequence: number) => T | null,
  ): T;
  /** Sends a message whose answer comes in parts; answers its number. Throws Problem 502. */
  send(message: (sequence: number) => Uint8Array<ArrayBuffer>): number;
  /** The next part that the kernel holds ready, valid until the next call. Throws Problem 502. */
  receive(): Uint8Array;
  close(): void;
}

const AF_NETLINK = 16;
const SOCK_RAW_CLOEXEC = 3 | 0o2000000;
const NETLINK_NETFILTER = 12;
const MSG_DONTWAIT = 0x40;
/** Answers to earlier questions that are passed over before giving up. */
const MAX_STRAYS = 8;

/** Functions of the C library, found through nftables, which needs them too. */
const SYMBOLS = {
  socket: { parameters: ["i32", "i32", "i32"], result: "i32" },
  send: { parameters: ["i32", "buffer", "usize", "i32"], result: "isize" },
  recv: { parameters: ["i32", "buffer", "usize", "i32"], result: "isize" },
  close: { parameters: ["i32"], result: "i32" },
} as const;

/** Opens a socket for this network namespace; null where the libraries may not be loaded. */
export function openNetlink(): Netlink | null {
  for (const path of LIBRARY_PATHS) {
    let library: Deno.DynamicLibrary<typeof SYMBOLS>;
    try {
      library = Deno.dlopen(path, SYMBOLS);
    } catch {
      continue;
    }
    const socket = library.symbols.socket(AF_NETLINK, SOCK_RAW_CLOEXEC, NETLINK_NETFILTER);
    if (socket >= 0) return onSocket(library, socket);
    library.close();
  }
  return null;
}

function onSocket(library: Deno.DynamicLibrary<typeof SYMBOLS>, socket: number): Netlink {
  const { symbols } = library;
  // The kernel fills parts of long answers up to this size.
  const answer = new Uint8Array(32 * 1024);
  let sequence = 0;
  const send: Netlink["send"] = (message) => {
    sequence = (sequence + 1) >>> 0;
    const bytes = message(sequence);
    const length = BigInt(bytes.length);
    if (BigInt(symbols.send(socket, bytes, length, 0)) !== length) {
      throw new Problem(502, "The kernel took no request of the packet filter");
    }
    return sequence;
  };
  // The kernel has answered by the time that `send` or the last `recv` returns.
  const receive = (): Uint8Array | null => {
    const size = Number(symbols.recv(socket, answer, BigInt(answer.length), MSG_DONTWAIT));
    return size <= 0 ? null : answer.subarray(0, size);
  };
  const silent = (): Problem =>
    new Problem(502, "The kernel did not answer a request of the packet filter");
  return {
    send,
    receive: () => {
      const part = receive();
      if (part === null) throw silent();
      return part;
    },
    ask: (message, read) => {
      const number = send(message);
      for (let left = MAX_STRAYS; left > 0; left--) {
        const part = receive();
        if (part === null) break;
        const result = read(part, number);
        if (result !== null) return result;
      }
      throw silent();
    },
    close: (): void => {
      symbols.close(socket);
      library.close();
    },
  };
}
