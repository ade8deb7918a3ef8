import { formatAddress, parseAddress } from "../../core/net/net.ts";
import { invalid, Problem } from "../../core/errors/problem.ts";
import {
  AF_INET,
  AF_INET6,
  IPPROTO_ICMP,
  IPPROTO_ICMPV6,
  IPPROTO_UDP,
  SO_BINDTODEVICE,
  SO_RCVTIMEO,
  SOCK_CLOEXEC,
  SOCK_DGRAM,
  SOCK_RAW,
  SOL_SOCKET,
} from "./abi.ts";
import { cText, openLibc } from "./libc.ts";

const MAX_MESSAGE_BYTES = 2048;

const SYMBOLS = {
  socket: { parameters: ["i32", "i32", "i32"], result: "i32" },
  setsockopt: { parameters: ["i32", "i32", "i32", "buffer", "u32"], result: "i32" },
  connect: { parameters: ["i32", "buffer", "u32"], result: "i32" },
  close: { parameters: ["i32"], result: "i32" },
  send: { parameters: ["i32", "buffer", "usize", "i32"], result: "isize" },
  if_nametoindex: { parameters: ["buffer"], result: "u32" },
  recv: { parameters: ["i32", "buffer", "usize", "i32"], result: "isize", nonblocking: true },
} as const;

/** The host that a socket is connected to: UDP with a port, ICMP without. */
export interface Peer {
  readonly link: string;
  readonly address: string;
  readonly port?: number;
}

/** A socket of one interface, connected to one host: the kernel delivers nothing from others. */
export interface EchoSocket extends Disposable {
  /** False where the kernel could not send it, for example for want of a route. */
  send(bytes: Uint8Array<ArrayBuffer>): boolean;
  /** The next message (ICMP without the IP header); null on a timeout. */
  receive(milliseconds: number): Promise<Uint8Array | null>;
}

let library: Deno.DynamicLibrary<typeof SYMBOLS> | undefined;

/** Opens a socket bound to an interface. Throws Problem 400 for a missing interface, 502. */
export function openEchoSocket(peer: Peer): EchoSocket {
  const { symbols } = library ??= openLibc(SYMBOLS);
  const index = symbols.if_nametoindex(cText(peer.link));
  if (index === 0) throw invalid("/interface", `This machine has no interface ${peer.link}`);
  const isIpv6 = peer.address.includes(":");
  const udp = peer.port !== undefined;
  const descriptor = symbols.socket(
    isIpv6 ? AF_INET6 : AF_INET,
    (udp ? SOCK_DGRAM : SOCK_RAW) | SOCK_CLOEXEC,
    udp ? IPPROTO_UDP : isIpv6 ? IPPROTO_ICMPV6 : IPPROTO_ICMP,
  );
  if (descriptor < 0) throw new Problem(502, "The kernel refused a socket for the ping");
  const name = cText(peer.link), to = socketAddress(peer, index);
  const ready =
    symbols.setsockopt(descriptor, SOL_SOCKET, SO_BINDTODEVICE, name, name.length) === 0;
  if (!ready) {
    symbols.close(descriptor);
    throw new Problem(502, `The kernel did not bind the ping to ${peer.link}`);
  }
  // Without a route connecting fails, which send() reports.
  const connected = symbols.connect(descriptor, to, to.length) === 0;
  return {
    send: (bytes) =>
      connected && Number(symbols.send(descriptor, bytes, BigInt(bytes.length), 0)) ===
        bytes.length,
    async receive(milliseconds) {
      const wait = waitTime(Math.max(1, milliseconds));
      symbols.setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, wait, wait.length);
      const buffer = new Uint8Array(MAX_MESSAGE_BYTES);
      const length = Number(await symbols.recv(descriptor, buffer, BigInt(MAX_MESSAGE_BYTES), 0));
      if (length < 0) return null;
      const header = udp || isIpv6 ? 0 : (buffer[0]! & 15) * 4;
      return buffer.subarray(Math.min(header, length), length);
    },
    [Symbol.dispose]: () => void symbols.close(descriptor),
  };
}

/** struct timeval. */
function waitTime(milliseconds: number): Uint8Array<ArrayBuffer> {
  const seconds = Math.floor(milliseconds / 1000);
  // The kernel refuses a timeval of a million microseconds.
  const rest = Math.floor((milliseconds - seconds * 1000) * 1000);
  return new Uint8Array(new BigInt64Array([BigInt(seconds), BigInt(rest)]).buffer);
}

/** struct sockaddr_in of ip(7), or sockaddr_in6 of ipv6(7) with the interface as its scope. */
function socketAddress({ address, port }: Peer, index: number): Uint8Array<ArrayBuffer> {
  const parsed = parseAddress(address);
  if (parsed === null) throw new RangeError(`"${address}" is no address`);
  const isIpv6 = parsed.family === 6;
  const bytes = new Uint8Array(isIpv6 ? 28 : 16);
  const view = new DataView(bytes.buffer);
  view.setUint16(0, isIpv6 ? AF_INET6 : AF_INET, true);
  view.setUint16(2, port ?? 0);
  if (!isIpv6) view.setUint32(4, Number(parsed.value));
  else {
    view.setBigUint64(8, parsed.value >> 64n);
    view.setBigUint64(16, parsed.value & 0xffffffffffffffffn);
    const local = /^fe[89ab]/.test(formatAddress(parsed));
    view.setUint32(24, local ? index : 0, true);
  }
  return bytes;
}
