import { Problem } from "../../core/errors/problem.ts";
import { eachMessage } from "../netlink/message.ts";
import { MESSAGE } from "../netlink/route/constants.ts";
import { readLink } from "../netlink/route/links.ts";
import { AF_NETLINK, MSG_DONTWAIT, POLLIN, SOCK_CLOEXEC, SOCK_RAW } from "./abi.ts";
import { openLibc } from "./libc.ts";

/** Of linux/netlink.h and linux/rtnetlink.h: the protocol, and the group of link messages as a bit. */
const NETLINK_ROUTE = 0, RTMGRP_LINK = 1;
/** Bytes of one message, with all that drivers add. */
const MAX_MESSAGE_BYTES = 32 * 1024;
/** Messages read at once; those that are left come with the next call. */
const MAX_READS = 256;

const SYMBOLS = {
  socket: { parameters: ["i32", "i32", "i32"], result: "i32" },
  bind: { parameters: ["i32", "buffer", "u32"], result: "i32" },
  close: { parameters: ["i32"], result: "i32" },
  poll: { parameters: ["buffer", "usize", "i32"], result: "i32", nonblocking: true },
  recv: { parameters: ["i32", "buffer", "usize", "i32"], result: "isize" },
} as const;

/** Hears of interfaces that appear, change and go in this network namespace (rtnetlink(7)). */
export class LinkWatch {
  readonly #library: Deno.DynamicLibrary<typeof SYMBOLS>;
  readonly #descriptor: number;

  /** Throws Problem 503 where the kernel or the C library refuses. */
  constructor() {
    this.#library = openLibc(SYMBOLS);
    const { socket, bind, close } = this.#library.symbols;
    this.#descriptor = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    // struct sockaddr_nl: family, padding, port, groups.
    const address = new Uint8Array(12);
    const view = new DataView(address.buffer);
    view.setUint16(0, AF_NETLINK, true);
    view.setUint32(8, RTMGRP_LINK, true);
    if (this.#descriptor >= 0 && bind(this.#descriptor, address, address.length) === 0) return;
    if (this.#descriptor >= 0) close(this.#descriptor);
    this.#library.close();
    throw new Problem(503, "The kernel does not tell of interfaces");
  }

  /**
   * Waits so many milliseconds at most; answers the interfaces that appeared or changed. It returns as
   * soon as there is anything, also for one that is gone, or where messages were lost.
   */
  async next(milliseconds: number): Promise<readonly string[]> {
    const { poll } = this.#library.symbols;
    // struct pollfd
    const list = new Uint8Array(8);
    const view = new DataView(list.buffer);
    view.setInt32(0, this.#descriptor, true);
    view.setInt16(4, POLLIN, true);
    await poll(list, 1n, Math.ceil(milliseconds));
    return view.getInt16(6, true) === 0 ? [] : this.#read();
  }

  /** Must not be called while it waits. */
  close(): void {
    this.#library.symbols.close(this.#descriptor);
    this.#library.close();
  }

  #read(): readonly string[] {
    const names = new Set<string>();
    const bytes = new Uint8Array(MAX_MESSAGE_BYTES);
    for (let reads = 0; reads < MAX_READS; reads++) {
      const size = Number(
        this.#library.symbols.recv(
          this.#descriptor,
          bytes,
          BigInt(bytes.length),
          MSG_DONTWAIT,
        ),
      );
      if (size <= 0) break;
      eachMessage(bytes.subarray(0, size), ({ type, payload }) => {
        const link = type === MESSAGE.newLink ? readLink(payload) : null;
        if (link !== null) names.add(link.name);
      });
    }
    return [...names];
  }
}
