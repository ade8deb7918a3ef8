import { Problem } from "../../core/errors/problem.ts";
import { openLibc } from "./libc.ts";
import {
  AF_PACKET,
  SO_RCVTIMEO,
  SOCK_CLOEXEC,
  SOCK_DGRAM,
  SOCKADDR_LL_SIZE,
  SOL_SOCKET,
} from "./abi.ts";
import { linkAddress, networkOrder } from "./socket_address.ts";
import { interfaceIndex } from "./interface_facts.ts";

const MAX_PACKET_BYTES = 2048;
const RECEIVE_TIMEOUT_MS = 50;

/** Protocols by EtherType (linux/if_ether.h). */
const ETHERTYPE = { ip: 0x0800, arp: 0x0806 } as const;

const SYMBOLS = {
  socket: { parameters: ["i32", "i32", "i32"], result: "i32" },
  setsockopt: { parameters: ["i32", "i32", "i32", "buffer", "u32"], result: "i32" },
  bind: { parameters: ["i32", "buffer", "u32"], result: "i32" },
  close: { parameters: ["i32"], result: "i32" },
  sendto: { parameters: ["i32", "buffer", "usize", "i32", "buffer", "u32"], result: "isize" },
  recvfrom: {
    parameters: ["i32", "buffer", "usize", "i32", "buffer", "buffer"],
    result: "isize",
    nonblocking: true,
  },
} as const;

/** Packets of one protocol on one interface, regardless of this machine's addresses and routes. */
export interface PacketSocket {
  /** Sends a packet to a MAC address on the interface. False when the kernel refused it. */
  send(packet: Uint8Array<ArrayBuffer>, mac: string): boolean;
  /** The next packet; null on a timeout, for a send-only socket, and when closed. */
  receive(): Promise<Uint8Array | null>;
  close(): void;
}

let library: Deno.DynamicLibrary<typeof SYMBOLS> | undefined;

function libc(): Deno.DynamicLibrary<typeof SYMBOLS>["symbols"] {
  return (library ??= openLibc(SYMBOLS)).symbols;
}

/**
 * Opens a packet socket on an interface (packet(7)): packets keep their source address and go to the
 * given MAC address whether or not a route exists. `receives`: it receives packets, too. Throws Problem 502 when the kernel refuses.
 */
export function openPacketSocket(
  link: string,
  kind: keyof typeof ETHERTYPE,
  receives = false,
): PacketSocket {
  const refused = (): Problem => new Problem(502, `The kernel refused a packet socket on ${link}`);
  const index = interfaceIndex(link);
  if (index === 0) throw refused();
  const protocol = networkOrder(ETHERTYPE[kind]);
  // Without a protocol the kernel queues no packets for it.
  const descriptor = libc().socket(AF_PACKET, SOCK_DGRAM | SOCK_CLOEXEC, receives ? protocol : 0);
  if (descriptor < 0) throw refused();
  const wait = new Uint8Array(new BigInt64Array([0n, BigInt(RECEIVE_TIMEOUT_MS) * 1000n]).buffer);
  const ready = !receives ||
    libc().setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, wait, wait.length) === 0 &&
      libc().bind(descriptor, linkAddress({ index, protocol }), SOCKADDR_LL_SIZE) === 0;
  if (!ready) {
    libc().close(descriptor);
    throw refused();
  }
  return new Packets(descriptor, { index, protocol, receives });
}

class Packets implements PacketSocket {
  readonly #descriptor: number;
  readonly #at: { readonly index: number; readonly protocol: number; readonly receives: boolean };
  #open = true;
  #reading = false;

  constructor(
    descriptor: number,
    at: { readonly index: number; readonly protocol: number; readonly receives: boolean },
  ) {
    this.#descriptor = descriptor;
    this.#at = at;
  }

  send(packet: Uint8Array<ArrayBuffer>, mac: string): boolean {
    if (!this.#open) return false;
    const { index, protocol } = this.#at;
    const size = BigInt(packet.length);
    const to = linkAddress({ index, protocol, mac });
    const sent = libc().sendto(this.#descriptor, packet, size, 0, to, SOCKADDR_LL_SIZE);
    return Number(sent) === packet.length;
  }

  async receive(): Promise<Uint8Array | null> {
    if (!this.#open || !this.#at.receives) return null;
    const buffer = new Uint8Array(MAX_PACKET_BYTES);
    this.#reading = true;
    const length = Number(
      await libc().recvfrom(this.#descriptor, buffer, BigInt(MAX_PACKET_BYTES), 0, null, null),
    );
    this.#reading = false;
    if (!this.#open) libc().close(this.#descriptor);
    return length > 0 ? buffer.subarray(0, length) : null;
  }

  close(): void {
    if (!this.#open) return;
    this.#open = false;
    // While a call reads from it, the descriptor must not be reused.
    if (!this.#reading) libc().close(this.#descriptor);
  }
}
