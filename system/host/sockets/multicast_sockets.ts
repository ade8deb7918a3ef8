import { parseIpv4 } from "../../core/net/net.ts";
import { Problem } from "../../core/errors/problem.ts";
import {
  AF_INET,
  IP_ADD_MEMBERSHIP,
  IP_HDRINCL,
  IP_MULTICAST_ALL,
  IP_MULTICAST_LOOP,
  IPPROTO_IP,
  IPPROTO_UDP,
  MSG_DONTWAIT,
  POLLIN,
  SO_BINDTODEVICE,
  SOCK_CLOEXEC,
  SOCK_RAW,
  SOCKADDR_IN_SIZE,
  SOL_SOCKET,
} from "./abi.ts";
import { cText, openLibc } from "./libc.ts";
import { ipv4Address } from "./socket_address.ts";

/** Larger packets are not relayed. */
const MAX_PACKET_BYTES = 2048;
/** The set of sockets may change between polls. */
const POLL_TIMEOUT_MS = 250;
/** Packets read from one socket before the next one is served. */
const MAX_READS = 64;

const SYMBOLS = {
  socket: { parameters: ["i32", "i32", "i32"], result: "i32" },
  setsockopt: { parameters: ["i32", "i32", "i32", "buffer", "u32"], result: "i32" },
  close: { parameters: ["i32"], result: "i32" },
  if_nametoindex: { parameters: ["buffer"], result: "u32" },
  poll: { parameters: ["buffer", "usize", "i32"], result: "i32", nonblocking: true },
  recv: { parameters: ["i32", "buffer", "usize", "i32"], result: "isize" },
  sendto: { parameters: ["i32", "buffer", "usize", "i32", "buffer", "u32"], result: "isize" },
} as const;

/** A received packet with its IP header. */
export interface MulticastPacket {
  readonly link: string;
  readonly bytes: Uint8Array;
}

/**
 * One raw UDP socket for each interface (raw(7); needs CAP_NET_RAW): it receives what the input chain
 * accepts there, and sends packets with their own headers. Deno's sockets can neither be bound to an
 * interface nor keep a foreign source address.
 */
export class MulticastSockets {
  readonly #library = openLibc(SYMBOLS);
  readonly #open = new Map<string, { descriptor: number; joined: Set<string>; index: number }>();

  /** Interfaces that it listens on. */
  get links(): readonly string[] {
    return [...this.#open.keys()];
  }

  /**
   * Joins these groups on an interface; one that is open with other groups is reopened. False when
   * the interface is missing. Throws Problem 502 when the kernel refuses.
   */
  listen(link: string, groups: readonly string[]): boolean {
    const { symbols } = this.#library;
    const index = symbols.if_nametoindex(cText(link));
    const before = this.#open.get(link);
    const same = before?.index === index && before.joined.size === groups.length &&
      groups.every((group) => before.joined.has(group));
    if (same && index !== 0) return true;
    this.leave(link);
    if (index === 0) return false;
    const descriptor = symbols.socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_UDP);
    if (descriptor < 0) throw new Problem(502, "The kernel refused a raw socket");
    const set = (level: number, option: number, value: Uint8Array<ArrayBuffer>): boolean =>
      symbols.setsockopt(descriptor, level, option, value, value.length) === 0;
    const ready = set(SOL_SOCKET, SO_BINDTODEVICE, cText(link)) &&
      set(IPPROTO_IP, IP_HDRINCL, int(1)) && set(IPPROTO_IP, IP_MULTICAST_LOOP, int(0)) &&
      set(IPPROTO_IP, IP_MULTICAST_ALL, int(0)) &&
      groups.every((group) => set(IPPROTO_IP, IP_ADD_MEMBERSHIP, membership(group, index)));
    if (!ready) {
      symbols.close(descriptor);
      throw new Problem(502, `The kernel refused multicast on ${link}`);
    }
    this.#open.set(link, { descriptor, joined: new Set(groups), index });
    return true;
  }

  /** Stops listening on an interface. */
  leave(link: string): void {
    const open = this.#open.get(link);
    if (open === undefined) return;
    this.#library.symbols.close(open.descriptor);
    this.#open.delete(link);
  }

  /** Waits up to 250 ms, and returns what has arrived. */
  async receive(): Promise<readonly MulticastPacket[]> {
    const sockets = [...this.#open];
    const list = new Uint8Array(8 * sockets.length);
    const view = new DataView(list.buffer);
    sockets.forEach(([, { descriptor }], i) => {
      view.setInt32(8 * i, descriptor, true);
      view.setInt16(8 * i + 4, POLLIN, true);
    });
    await this.#library.symbols.poll(list, BigInt(sockets.length), POLL_TIMEOUT_MS);
    return sockets.flatMap(([link, socket], i) =>
      view.getInt16(8 * i + 6, true) !== 0 && this.#open.get(link) === socket
        ? this.#read(link, socket.descriptor)
        : []
    );
  }

  /** Sends a whole packet on an interface. False when the kernel refuses it. */
  send(link: string, packet: Uint8Array<ArrayBuffer>, destination: number): boolean {
    const open = this.#open.get(link);
    if (open === undefined) return false;
    const to = ipv4Address(destination);
    const size = BigInt(packet.length);
    const sent = this.#library.symbols.sendto(
      ...[open.descriptor, packet, size, MSG_DONTWAIT, to, SOCKADDR_IN_SIZE] as const,
    );
    return Number(sent) >= 0;
  }

  /** Closes every socket. */
  close(): void {
    for (const link of this.links) this.leave(link);
    this.#library.close();
  }

  #read(link: string, descriptor: number): MulticastPacket[] {
    const packets: MulticastPacket[] = [];
    while (packets.length < MAX_READS) {
      const bytes = new Uint8Array(MAX_PACKET_BYTES);
      const { symbols } = this.#library;
      const length = Number(
        symbols.recv(descriptor, bytes, BigInt(MAX_PACKET_BYTES), MSG_DONTWAIT),
      );
      if (length < 0) break;
      packets.push({ link, bytes: bytes.subarray(0, length) });
    }
    return packets;
  }
}

function int(value: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(new Int32Array([value]).buffer);
}

/** struct ip_mreqn of ip(7). */
function membership(group: string, index: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(12);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, parseIpv4(group)!);
  view.setInt32(8, index, true);
  return bytes;
}
