import type { Flow } from "../../../core/kernel/host.ts";
import { parseAddress } from "../../../core/net/net.ts";
import { Problem } from "../../../core/errors/problem.ts";
import { AF_INET, AF_INET6 } from "../../sockets/abi.ts";
import type { Netlink } from "../netlink.ts";

/**
 * Messages of ctnetlink (linux/netlink.h, linux/netfilter/nfnetlink_conntrack.h): a deletion by tuple
 * uses the hash, where the conntrack tool lists the whole table for each.
 */
const NLM_F_REQUEST = 0x1;
const NLM_F_ACK = 0x4;
const NLA_F_NESTED = 0x8000;
const NLMSG_ERROR = 2;
const CT_DELETE = 1 << 8 | 2;
const CTA_TUPLE_ORIG = 1;
const CTA_TUPLE_IP = 1;
const CTA_TUPLE_PROTO = 2;
const CTA_PROTO_NUM = 1;
const CTA_PROTO_SRC_PORT = 2;
const CTA_PROTO_DST_PORT = 3;
const PROTOCOLS = { tcp: 6, udp: 17 } as const;
const ENOENT = 2;
/** Deletions before the event loop gets a turn. */
const OPS_BETWEEN_YIELDS = 500;

/**
 * Flushes conntrack entries of TCP and UDP over netlink, a few microseconds each; one that is gone
 * already is no error. Throws Problem 502.
 */
export async function flushByNetlink(netlink: Netlink, flows: readonly Flow[]): Promise<void> {
  for (const [position, flow] of flows.entries()) {
    if (position > 0 && position % OPS_BETWEEN_YIELDS === 0) {
      await new Promise((go) => setTimeout(go, 0));
    }
    const error = netlink.request((sequence) => deletionMessage(flow, sequence), flushResult);
    if (error !== 0) {
      throw new Problem(502, `The kernel refused to end a connection (error ${error})`);
    }
  }
}

/** The message that deletes a TCP or UDP entry by its original direction. Throws Problem 400. */
export function deletionMessage(flow: Flow, sequence: number): Uint8Array<ArrayBuffer> {
  const source = parseAddress(flow.source);
  const destination = parseAddress(flow.destination);
  if (
    source === null || destination === null || source.family !== destination.family ||
    flow.protocol === "icmp"
  ) throw new Problem(400, `No connection can have these ends: ${JSON.stringify(flow)}`);
  const six = source.family === 6;
  const size = six ? 16 : 4;
  const first = six ? 3 : 1;
  const payload = [
    ...[six ? AF_INET6 : AF_INET, 0, 0, 0],
    ...nested(CTA_TUPLE_ORIG, [
      ...nested(CTA_TUPLE_IP, [
        ...attribute(first, bigEndian(source.value, size)),
        ...attribute(first + 1, bigEndian(destination.value, size)),
      ]),
      ...nested(CTA_TUPLE_PROTO, [
        ...attribute(CTA_PROTO_NUM, [PROTOCOLS[flow.protocol]]),
        ...attribute(CTA_PROTO_SRC_PORT, port(flow.sport)),
        ...attribute(CTA_PROTO_DST_PORT, port(flow.dport)),
      ]),
    ]),
  ];
  const message = new Uint8Array(16 + payload.length);
  const view = new DataView(message.buffer);
  view.setUint32(0, message.length, true);
  view.setUint16(4, CT_DELETE, true);
  view.setUint16(6, NLM_F_REQUEST | NLM_F_ACK, true);
  view.setUint32(8, sequence, true);
  message.set(payload, 16);
  return message;
}

/**
 * The error number of an acknowledgement, 0 when the entry is gone, by this request or before; null when
 * it is the answer to another message.
 */
export function flushResult(answer: Uint8Array, sequence: number): number | null {
  if (answer.length < 20) return null;
  const view = new DataView(answer.buffer, answer.byteOffset, answer.byteLength);
  if (view.getUint16(4, true) !== NLMSG_ERROR || view.getUint32(8, true) !== sequence) return null;
  const error = -view.getInt32(16, true);
  return error === 0 || error === ENOENT ? 0 : error;
}

function nested(type: number, body: readonly number[]): readonly number[] {
  return attribute(NLA_F_NESTED | type, body);
}

/** Length, type and body, padded to a multiple of four bytes. */
function attribute(type: number, body: readonly number[]): readonly number[] {
  const length = 4 + body.length;
  const padding = Array<number>((4 - length % 4) % 4).fill(0);
  return [length & 255, length >> 8, type & 255, type >> 8, ...body, ...padding];
}

function port(value: number | undefined): readonly number[] {
  if (value === undefined || !Number.isInteger(value) || value < 0 || value > 65535) {
    throw new Problem(400, `${value} is no port`);
  }
  return bigEndian(BigInt(value), 2);
}

function bigEndian(value: bigint, size: number): readonly number[] {
  return Array.from({ length: size }, (_, i) => Number(value >> BigInt(8 * (size - 1 - i)) & 255n));
}
