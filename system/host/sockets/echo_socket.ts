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

/** Where a socket speaks to; without a port by ICMP. */
export interface Peer {
  readonly link: string;
  readonly address: string;
  readonly port?: number;
}

/** A socket of one link to one machine: the kernel gives it nothing that comes from another. */
export interface EchoSocket extends Disposable {
  /** False where the kernel could not send it, for example for want of a route. */
  send(bytes: Uint8Array<ArrayBuffer>): boolean;
  /** The next message from there (of ICMP without the IP header), null after so many milliseconds. */
  receive(milliseconds: number): Promise<Uint8Array | null>;
}

let library: Deno.DynamicLibrary<typeof SYMBOLS> | undefined;

/** Opens a socket bound to a link. Throws Problem 400 for a link that is not there, 502. */
export function openEchoSocket(peer: Peer): EchoSocket {
  const { symbols } = library ??= openLibc(SYMBOLS);
  const index = symbols.if_nametoindex(cText(peer.link));
  if (index === 0) throw invalid("/interface", `This machine has no link ${peer.link}`);
  const six = peer.address.includes(":");
  const udp = peer.port !== undefined;
  const descriptor = symbols.socket(
    six ? AF_INET6 : AF_INET,
    (udp ? SOCK_DGRAM : SOCK_RAW) | SOCK_CLOEXEC,
    udp ? IPPROTO_UDP : six ? IPPROTO_ICMPV6 : IPPROTO_ICMP,
  );
  if (descriptor < 0) throw new Problem(502, "The kernel gave no socket to ping with");
  const name = cText(peer.link), place = socketAddress(peer, index);
  const ready =
    symbols.setsockopt(descriptor, SOL_SOCKET, SO_BINDTODEVICE, name, name.length) === 0;
  if (!ready) {
    symbols.close(descriptor);
    throw new Problem(502, `The kernel did not bind the ping to ${peer.link}`);
  }
  // Without a route there is nobody to connect to, which sending tells.
  const connected = symbols.connect(descriptor, place, place.length) === 0;
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
      const header = udp || six ? 0 : (buffer[0]! & 15) * 4;
      return buffer.subarray(Math.min(header, length), length);
    },
    [Symbol.dispose]: () => void symbols.close(descriptor),
  };
}

/** struct timeval. */
function waitTime(milliseconds: number): Uint8Array<ArrayBuffer> {
  const seconds = Math.floor(milliseconds / 1000);
  // A million of them is no time that the kernel takes.
  const rest = Math.floor((milliseconds - seconds * 1000) * 1000);
  return new Uint8Array(new BigInt64Array([BigInt(seconds), BigInt(rest)]).buffer);
}

/** struct sockaddr_in of ip(7), or sockaddr_in6 of ipv6(7) with the link as its scope. */
function socketAddress({ address, port }: Peer, index: number): Uint8Array<ArrayBuffer> {
  const parsed = parseAddress(address);
  if (parsed === null) throw new RangeError(`"${address}" is no address`);
  const six = parsed.family === 6;
  const bytes = new Uint8Array(six ? 28 : 16);
  const view = new DataView(bytes.buffer);
  view.setUint16(0, six ? AF_INET6 : AF_INET, true);
  view.setUint16(2, port ?? 0);
  if (!six) view.setUint32(4, Number(parsed.value));
  else {
    view.setBigUint64(8, parsed.value >> 64n);
    view.setBigUint64(16, parsed.value & 0xffffffffffffffffn);
    const local = /^fe[89ab]/.test(formatAddress(parsed));
    view.setUint32(24, local ? index : 0, true);
  }
  return bytes;
}
