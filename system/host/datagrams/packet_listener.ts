import { Problem } from "../../core/errors/problem.ts";
import { cText, openLibc } from "../sockets/libc.ts";
import {
  AF_PACKET,
  ETH_P_IP,
  SO_ATTACH_FILTER,
  SO_RCVTIMEO,
  SOCK_CLOEXEC,
  SOCK_DGRAM,
  SOCKADDR_LL_SIZE,
  SOL_SOCKET,
} from "../sockets/abi.ts";
import { type FilterStep, type SocketFilter, socketFilter } from "../sockets/socket_filter.ts";
import { linkAddress, networkOrder } from "../sockets/socket_address.ts";

const MAX_PACKET_BYTES = 2048;

const SYMBOLS = {
  socket: { parameters: ["i32", "i32", "i32"], result: "i32" },
  setsockopt: { parameters: ["i32", "i32", "i32", "buffer", "u32"], result: "i32" },
  bind: { parameters: ["i32", "buffer", "u32"], result: "i32" },
  close: { parameters: ["i32"], result: "i32" },
  if_nametoindex: { parameters: ["buffer"], result: "u32" },
  recvfrom: {
    parameters: ["i32", "buffer", "usize", "i32", "buffer", "buffer"],
    result: "isize",
    nonblocking: true,
  },
} as const;

/** UDP datagrams of an interface as received, before the firewall. */
export interface PacketListener {
  /** The next datagram's payload, or null after {@link RECEIVE_TIMEOUT_MS} without one, or when it was closed. */
  receive(): Promise<Uint8Array | null>;
  close(): void;
}

/** Milliseconds for which a datagram is waited for at a time. */
const RECEIVE_TIMEOUT_MS = 250;

/**
 * Listens for UDP datagrams to a port on an interface, regardless of the firewall: they are only
 * read. Throws Problem 502 when the kernel refuses.
 */
export function listenForPackets(link: string, port: number): PacketListener {
  const { symbols } = open();
  const index = symbols.if_nametoindex(cText(link));
  const protocol = networkOrder(ETH_P_IP);
  const descriptor = index === 0
    ? -1
    : symbols.socket(AF_PACKET, SOCK_DGRAM | SOCK_CLOEXEC, protocol);
  if (descriptor < 0) throw new Problem(502, `The kernel lets nobody listen on ${link}`);
  const program = udpTo(port);
  const wait = new Uint8Array(new BigInt64Array([0n, BigInt(RECEIVE_TIMEOUT_MS) * 1000n]).buffer);
  const ready = symbols.setsockopt(descriptor, SOL_SOCKET, SO_ATTACH_FILTER, program.fprog, 16) ===
      0 &&
    symbols.setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, wait, wait.length) === 0 &&
    symbols.bind(descriptor, linkAddress({ index, protocol }), SOCKADDR_LL_SIZE) === 0;
  if (!ready) {
    symbols.close(descriptor);
    throw new Problem(502, `The kernel lets nobody listen on ${link}`);
  }
  let isOpen = true, isReading = false;
  return {
    async receive() {
      if (!isOpen) return null;
      const buffer = new Uint8Array(MAX_PACKET_BYTES);
      isReading = true;
      const length = Number(
        await symbols.recvfrom(descriptor, buffer, BigInt(MAX_PACKET_BYTES), 0, null, null),
      );
      isReading = false;
      if (!isOpen) symbols.close(descriptor);
      if (length < 28) return null;
      return buffer.subarray((buffer[0]! & 15) * 4 + 8, length);
    },
    close() {
      if (!isOpen) return;
      isOpen = false;
      // While a call reads from it, the descriptor must not be reused.
      if (!isReading) symbols.close(descriptor);
    },
  };
}

let library: Deno.DynamicLibrary<typeof SYMBOLS> | undefined;

function open(): Deno.DynamicLibrary<typeof SYMBOLS> {
  return library ??= openLibc(SYMBOLS);
}

/** A classic BPF program (linux/filter.h) that passes whole unfragmented UDP datagrams to a port. */
function udpTo(port: number): SocketFilter {
  const steps: readonly FilterStep[] = [
    [0x30, 0, 0, 9], // the protocol
    [0x15, 0, 6, 17],
    [0x28, 0, 0, 6], // the fragment's offset
    [0x45, 4, 0, 0x1fff],
    [0xb1, 0, 0, 0], // the header's length
    [0x48, 0, 0, 2], // the port
    [0x15, 0, 1, port],
    [0x06, 0, 0, MAX_PACKET_BYTES],
    [0x06, 0, 0, 0],
  ];
  return socketFilter(steps);
}
