import { parseIpv4 } from "../../../system/core/net/net.ts";
import {
  AF_INET,
  AF_PACKET,
  ETH_P_IP,
  IPPROTO_RAW,
  SO_BROADCAST,
  SOCK_RAW,
  SOL_SOCKET,
} from "../../../system/host/sockets/abi.ts";
import { cText, openLibc } from "../../../system/host/sockets/libc.ts";
import {
  ipv4Address,
  linkAddress,
  networkOrder,
} from "../../../system/host/sockets/socket_address.ts";

/** Of sched.h and fcntl.h. */
const CLONE_NEWNET = 0x40000000, O_RDONLY = 0;

const libc = () =>
  openLibc({
    open: { parameters: ["buffer", "i32"], result: "i32" },
    close: { parameters: ["i32"], result: "i32" },
    setns: { parameters: ["i32", "i32"], result: "i32" },
    socket: { parameters: ["i32", "i32", "i32"], result: "i32" },
    setsockopt: { parameters: ["i32", "i32", "i32", "buffer", "u32"], result: "i32" },
    sendto: {
      parameters: ["i32", "buffer", "usize", "i32", "buffer", "u32"],
      result: "isize",
    },
  });

/** Raw sockets inside network namespaces, from this process; needs root. */
export class RawSockets implements Disposable {
  readonly #libc = libc();
  readonly #open: number[] = [];

  /** Sends whole Ethernet frames on an interface of a namespace. */
  frames(space: string, index: number): (frame: Uint8Array<ArrayBuffer>) => boolean {
    const socket = this.#socket(space, AF_PACKET, 0);
    // The receiver stands in the frame itself.
    const mac = "00:00:00:00:00:00";
    const to = linkAddress({ index, protocol: networkOrder(ETH_P_IP), mac });
    return (frame) => this.#send(socket, frame, to);
  }

  /** Sends IP packets as the namespace's own machine would, headers included. */
  packets(space: string): (packet: Uint8Array<ArrayBuffer>, destination: string) => boolean {
    const socket = this.#socket(space, AF_INET, IPPROTO_RAW);
    this.#libc.symbols.setsockopt(
      socket,
      SOL_SOCKET,
      SO_BROADCAST,
      new Uint8Array([1, 0, 0, 0]),
      4,
    );
    return (packet, destination) => {
      return this.#send(socket, packet, ipv4Address(parseIpv4(destination)!));
    };
  }

  #send(
    socket: number,
    bytes: Uint8Array<ArrayBuffer>,
    to: Uint8Array<ArrayBuffer>,
  ): boolean {
    const size = BigInt(bytes.length);
    return Number(this.#libc.symbols.sendto(socket, bytes, size, 0, to, to.length)) >= 0;
  }

  /** A socket stays in the namespace that it was made in; this thread goes there for that alone. */
  #socket(space: string, family: number, protocol: number): number {
    const { symbols } = this.#libc;
    const path = (text: string): number => symbols.open(cText(text), O_RDONLY);
    const home = path("/proc/thread-self/ns/net"), there = path(`/run/netns/${space}`);
    try {
      if (home < 0 || there < 0 || symbols.setns(there, CLONE_NEWNET) !== 0) {
        throw new Error(`The namespace ${space} cannot be entered`);
      }
      const socket = symbols.socket(family, SOCK_RAW, protocol);
      if (symbols.setns(home, CLONE_NEWNET) !== 0) throw new Error("There is no way back");
      if (socket < 0) throw new Error(`No raw socket in ${space}`);
      this.#open.push(socket);
      return socket;
    } finally {
      for (const file of [home, there]) if (file >= 0) symbols.close(file);
    }
  }

  [Symbol.dispose](): void {
    for (const socket of this.#open) this.#libc.symbols.close(socket);
    this.#libc.close();
  }
}
