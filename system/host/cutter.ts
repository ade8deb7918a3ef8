import type { Flow } from "../core/kernel.ts";
import { Problem } from "../core/problem.ts";
import { acknowledged, deletionMessage } from "./ctnetlink.ts";
import { LIBRARY_PATHS } from "./libnftables.ts";

/** Ends connections by the kernel's own messages, a few microseconds each. */
export interface Cutter {
  /** Ends TCP and UDP connections; one that is gone already is no error. Throws Problem 502. */
  cut(flows: readonly Flow[]): Promise<void>;
  close(): void;
}

const AF_NETLINK = 16;
const SOCK_RAW_CLOEXEC = 3 | 0o2000000;
const NETLINK_NETFILTER = 12;
const MSG_DONTWAIT = 0x40;
/** Deletions between two breaths of the event loop. */
const BATCH = 500;

/** Functions of the C library, found through nftables, which needs them too. */
const SYMBOLS = {
  socket: { parameters: ["i32", "i32", "i32"], result: "i32" },
  send: { parameters: ["i32", "buffer", "usize", "i32"], result: "isize" },
  recv: { parameters: ["i32", "buffer", "usize", "i32"], result: "isize" },
  close: { parameters: ["i32"], result: "i32" },
} as const;

/** Opens a cutter for this network namespace; null where the libraries may not be loaded. */
export function openCutter(): Cutter | null {
  for (const path of LIBRARY_PATHS) {
    let library: Deno.DynamicLibrary<typeof SYMBOLS>;
    try {
      library = Deno.dlopen(path, SYMBOLS);
    } catch {
      continue;
    }
    const socket = library.symbols.socket(AF_NETLINK, SOCK_RAW_CLOEXEC, NETLINK_NETFILTER);
    if (socket >= 0) return cutter(library, socket);
    library.close();
  }
  return null;
}

function cutter(library: Deno.DynamicLibrary<typeof SYMBOLS>, socket: number): Cutter {
  const { symbols } = library;
  const answer = new Uint8Array(4096);
  let sequence = 0;
  const one = (flow: Flow): void => {
    const message = deletionMessage(flow, ++sequence >>> 0);
    const length = BigInt(message.length);
    if (symbols.send(socket, message, length, 0) !== length) {
      throw new Problem(502, "The kernel took no request to end a connection");
    }
    // The kernel answers before `send` returns; what does not fit is an answer to an earlier request.
    for (let tries = 0; tries < 8; tries++) {
      const size = Number(symbols.recv(socket, answer, BigInt(answer.length), MSG_DONTWAIT));
      if (size <= 0) break;
      const error = acknowledged(answer.subarray(0, size), sequence >>> 0);
      if (error === 0) return;
      if (error !== null) {
        throw new Problem(502, `The kernel refused to end a connection (error ${error})`);
      }
    }
    throw new Problem(502, "The kernel did not answer a request to end a connection");
  };
  return {
    cut: async (flows): Promise<void> => {
      for (const [position, flow] of flows.entries()) {
        if (position > 0 && position % BATCH === 0) await new Promise((go) => setTimeout(go, 0));
        one(flow);
      }
    },
    close: (): void => {
      symbols.close(socket);
      library.close();
    },
  };
}
