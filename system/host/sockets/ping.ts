import {
  PING_COUNT,
  PING_TIMEOUT_MS,
  type PingRequest,
  type PingResult,
} from "../../core/machine/schema.ts";
import { type EchoSocket, openEchoSocket } from "./echo_socket.ts";

/** Types of RFC 792 and RFC 4443. */
const ECHO = { v4: { request: 8, reply: 0 }, v6: { request: 128, reply: 129 } } as const;
const HEADER_SIZE = 8;
/** Random payload, so that no other host can forge a reply. */
const TOKEN_SIZE = 16;

/**
 * Pings one host through one interface, one request after the other. A reply counts only when it comes
 * from that host and repeats identifier, sequence number and token. Requests that the kernel could not
 * send are left out of the result.
 */
export async function ping(request: PingRequest): Promise<PingResult> {
  using socket = openEchoSocket(request);
  const id = crypto.getRandomValues(new Uint16Array(1))[0]!;
  const times: (number | null)[] = [];
  for (let round = 0; round < PING_COUNT; round++) {
    const echo = request.port === undefined
      ? echoRequest({ isIpv6: request.address.includes(":"), id, sequence: round })
      : { bytes: new TextEncoder().encode("ping"), isReply: () => true };
    const sent = performance.now();
    if (!socket.send(echo.bytes)) continue;
    times.push(await replyTime(socket, sent, echo.isReply));
  }
  return times;
}

interface EchoRequest {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly isReply: (message: Uint8Array) => boolean;
}

/** Nanoseconds until the reply; null when none came in time. */
async function replyTime(
  socket: EchoSocket,
  sent: number,
  isReply: EchoRequest["isReply"],
): Promise<number | null> {
  for (;;) {
    const left = sent + PING_TIMEOUT_MS - performance.now();
    if (left <= 0) return null;
    const message = await socket.receive(left);
    const now = performance.now();
    // A timeout, or the host refused the port: no reply follows.
    if (message === null) return null;
    if (isReply(message)) return Math.round((now - sent) * 1e6);
  }
}

/** An echo request, and the check for its reply. */
export function echoRequest(
  { isIpv6, id, sequence }: {
    readonly isIpv6: boolean;
    readonly id: number;
    readonly sequence: number;
  },
): EchoRequest {
  const { request, reply } = isIpv6 ? ECHO.v6 : ECHO.v4;
  const bytes = new Uint8Array(HEADER_SIZE + TOKEN_SIZE);
  const view = new DataView(bytes.buffer);
  view.setUint8(0, request);
  view.setUint16(4, id);
  view.setUint16(6, sequence);
  crypto.getRandomValues(bytes.subarray(HEADER_SIZE));
  // The kernel computes the ICMPv6 checksum itself, over the addresses too.
  if (!isIpv6) view.setUint16(2, checksum(bytes));
  return {
    bytes,
    isReply: (message) =>
      message.length === bytes.length && message[0] === reply && message[1] === 0 &&
      message.subarray(4).every((byte, at) => byte === bytes[at + 4]),
  };
}

/** The Internet checksum (RFC 1071) of an even number of bytes. */
export function checksum(bytes: Uint8Array): number {
  let sum = 0;
  for (let at = 0; at < bytes.length; at += 2) sum += bytes[at]! << 8 | bytes[at + 1]!;
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16);
  return ~sum & 0xffff;
}
