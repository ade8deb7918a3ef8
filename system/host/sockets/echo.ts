import {
  PING_COUNT,
  PING_TIMEOUT_MS,
  type PingRequest,
  type PingResult,
} from "../../core/machine/schema.ts";
import { type EchoSocket, openEchoSocket } from "./echo_socket.ts";

/** Types of RFC 792 and RFC 4443. */
const ECHO = { four: { ask: 8, answer: 0 }, six: { ask: 128, answer: 129 } } as const;
const HEADER = 8;
/** Bytes that come back with an answer and that nobody else knows. */
const TOKEN = 16;

/**
 * Pings one machine from one link, one question after the other. An answer counts only when it comes
 * from there and repeats identifier, number and token. Questions that the kernel could not send are
 * left out of the answer.
 */
export async function echo(ask: PingRequest): Promise<PingResult> {
  using socket = openEchoSocket(ask);
  const id = crypto.getRandomValues(new Uint16Array(1))[0]!;
  const times: (number | null)[] = [];
  for (let round = 0; round < PING_COUNT; round++) {
    const question = ask.port === undefined
      ? echoQuestion({ six: ask.address.includes(":"), id, sequence: round })
      : { bytes: new TextEncoder().encode("ping"), isAnswer: () => true };
    const sent = performance.now();
    if (!socket.send(question.bytes)) continue;
    times.push(await answered(socket, sent, question.isAnswer));
  }
  return times;
}

interface Question {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly isAnswer: (message: Uint8Array) => boolean;
}

/** Nanoseconds until the answer; null when none came in time. */
async function answered(
  socket: EchoSocket,
  sent: number,
  isAnswer: Question["isAnswer"],
): Promise<number | null> {
  for (;;) {
    const left = sent + PING_TIMEOUT_MS - performance.now();
    if (left <= 0) return null;
    const message = await socket.receive(left);
    const now = performance.now();
    // Nothing came, or the machine refused the port: either way nobody answers this question.
    if (message === null) return null;
    if (isAnswer(message)) return Math.round((now - sent) * 1e6);
  }
}

/** An echo request, and how its answer is known. */
export function echoQuestion(
  { six, id, sequence }: { readonly six: boolean; readonly id: number; readonly sequence: number },
): Question {
  const { ask, answer } = six ? ECHO.six : ECHO.four;
  const bytes = new Uint8Array(HEADER + TOKEN);
  const view = new DataView(bytes.buffer);
  view.setUint8(0, ask);
  view.setUint16(4, id);
  view.setUint16(6, sequence);
  crypto.getRandomValues(bytes.subarray(HEADER));
  // The kernel computes that of ICMPv6 itself, over the addresses too.
  if (!six) view.setUint16(2, checksum(bytes));
  return {
    bytes,
    isAnswer: (message) =>
      message.length === bytes.length && message[0] === answer && message[1] === 0 &&
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
