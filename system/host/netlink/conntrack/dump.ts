import type { Flow } from "../../../core/kernel/host.ts";
import { formatIpv4 } from "../../../core/net/net.ts";

/**
 * The list of IPv4 connections by ctnetlink (linux/netlink.h, linux/netfilter/nfnetlink_conntrack.h):
 * without a process to start and text to parse.
 */
const NLM_F_REQUEST = 0x1;
const NLM_F_DUMP = 0x300;
const NLMSG_ERROR = 2;
const NLMSG_DONE = 3;
const CT_NEW = 1 << 8;
const CT_GET = 1 << 8 | 1;
const CT_DELETE = 1 << 8 | 2;
const AF_INET = 2;
/** Length of a netlink header, and of one with nfnetlink's behind it. */
const HEADER = 16;
const HEADERS = 20;
const TUPLE_ORIGINAL = 1;
const TUPLE_REPLY = 2;
const COUNTERS_ORIGINAL = 9;
const COUNTERS_REPLY = 10;
const COUNTER_PACKETS = 1;
const COUNTER_BYTES = 2;
const TUPLE_IP = 1;
const TUPLE_PROTOCOL = 2;
const SOURCE = 1;
const DESTINATION = 2;
const NUMBER = 1;
const SOURCE_PORT = 2;
const DESTINATION_PORT = 3;
const ICMP_ID = 4;
/** Attribute types carry flags in their two upper bits. */
const TYPE_BITS = 0x3fff;

const PROTOCOLS: Readonly<Record<number, Flow["protocol"]>> = { 1: "icmp", 6: "tcp", 17: "udp" };

/** The request for every IPv4 connection. */
export function flowsRequest(sequence: number): Uint8Array<ArrayBuffer> {
  const message = new Uint8Array(HEADERS);
  const view = new DataView(message.buffer);
  view.setUint32(0, HEADERS, true);
  view.setUint16(4, CT_GET, true);
  view.setUint16(6, NLM_F_REQUEST | NLM_F_DUMP, true);
  view.setUint32(8, sequence, true);
  view.setUint8(HEADER, AF_INET);
  return message;
}

/** A connection in the kernel's numbers: both directions. */
export interface RawFlow {
  readonly original: Readonly<Tuple>;
  readonly reply: Readonly<Tuple>;
  /** Absent where the kernel tells none. */
  readonly counts?: FlowCounts;
}

/** What a connection has counted, sent and received by the end that began it. */
export type FlowCounts = readonly [
  sentPackets: number,
  sentBytes: number,
  receivedPackets: number,
  receivedBytes: number,
];

/** Passes every connection in a part to `take`, and whether it has ended. */
export function eachFlow(part: Uint8Array, take: (flow: RawFlow, gone: boolean) => void): void {
  const view = new DataView(part.buffer, part.byteOffset, part.byteLength);
  for (let at = 0; at + HEADER <= part.length;) {
    const length = view.getUint32(at, true);
    if (length < HEADER || at + length > part.length) break;
    const type = view.getUint16(at + 4, true);
    const isFlow = (type === CT_NEW || type === CT_DELETE) && length >= HEADERS;
    if (isFlow && view.getUint8(at + HEADER) === AF_INET) {
      const flow = readRaw(view, at + HEADERS, at + length);
      if (flow !== null) take(flow, type === CT_DELETE);
    }
    at += (length + 3) & ~3;
  }
}

/** One part of the kernel's answer. */
export interface FlowPart {
  /** Connections that have a wanted address at any of their four ends, or all of them. */
  readonly flows: readonly RawFlow[];
  /** No further part follows. */
  readonly done: boolean;
  /** The kernel's error number; 0 for none. */
  readonly error: number;
}

/** Decodes a part of the answer to the request with this sequence number. */
export function readFlows(part: Uint8Array, sequence: number): FlowPart {
  const view = new DataView(part.buffer, part.byteOffset, part.byteLength);
  const flows: RawFlow[] = [];
  for (let at = 0; at + HEADER <= part.length;) {
    const length = view.getUint32(at, true);
    if (length < HEADER || at + length > part.length) break;
    if (view.getUint32(at + 8, true) === sequence) {
      const type = view.getUint16(at + 4, true);
      if (type === NLMSG_DONE) return { flows, done: true, error: 0 };
      if (type === NLMSG_ERROR && length >= HEADER + 4) {
        return { flows, done: true, error: -view.getInt32(at + HEADER, true) };
      }
      const flow = type === CT_NEW ? readRaw(view, at + HEADERS, at + length) : null;
      if (flow !== null) flows.push(flow);
    }
    at += (length + 3) & ~3;
  }
  return { flows, done: false, error: 0 };
}

interface Tuple {
  source: number;
  destination: number;
  protocol: number;
  sport: number;
  dport: number;
  /** Distinguishes pings between the same hosts. */
  id: number;
}

function readRaw(view: DataView, from: number, to: number): RawFlow | null {
  let original: Tuple | null = null;
  let reply: Tuple | null = null;
  let counts: [number, number, number, number] | null = null;
  eachAttribute(view, from, to, (type, start, end) => {
    if (type === TUPLE_ORIGINAL) original = readTuple(view, start, end);
    if (type === TUPLE_REPLY) reply = readTuple(view, start, end);
    if (type !== COUNTERS_ORIGINAL && type !== COUNTERS_REPLY) return;
    readCounters(view, start, end, counts ??= [0, 0, 0, 0], type === COUNTERS_ORIGINAL ? 0 : 2);
  });
  if (original === null || reply === null) return null;
  return counts === null ? { original, reply } : { original, reply, counts };
}

function readCounters(
  view: DataView,
  from: number,
  to: number,
  counts: [number, number, number, number],
  first: 0 | 2,
): void {
  eachAttribute(view, from, to, (type, start, end) => {
    if (end - start < 8) return;
    const value = view.getUint32(start, false) * 2 ** 32 + view.getUint32(start + 4, false);
    if (type === COUNTER_PACKETS) counts[first] = value;
    if (type === COUNTER_BYTES) counts[first + 1] = value;
  });
}

/**
 * The connection as a flow, when one of its four addresses is wanted (null: whatever they are) and its
 * protocol is known; else null.
 */
export function flowOf(
  { original, reply }: RawFlow,
  wanted: ReadonlySet<number> | null,
): Flow | null {
  const has = wanted === null || wanted.has(original.source) || wanted.has(original.destination) ||
    wanted.has(reply.source) || wanted.has(reply.destination);
  const protocol = PROTOCOLS[original.protocol];
  if (protocol === undefined || !has) return null;
  return {
    protocol,
    source: formatIpv4(original.source),
    destination: formatIpv4(original.destination),
    replySource: formatIpv4(reply.source),
    replyDestination: formatIpv4(reply.destination),
    ...(protocol === "icmp" ? {} : {
      sport: original.sport,
      dport: original.dport,
      replySport: reply.sport,
      replyDport: reply.dport,
    }),
  };
}

function readTuple(view: DataView, from: number, to: number): Tuple {
  const tuple: Tuple = { source: 0, destination: 0, protocol: 0, sport: 0, dport: 0, id: 0 };
  eachAttribute(view, from, to, (type, start, end) => {
    if (type === TUPLE_IP) {
      eachAttribute(view, start, end, (inner, at, to) => {
        if (to - at < 4) return;
        if (inner === SOURCE) tuple.source = view.getUint32(at, false);
        if (inner === DESTINATION) tuple.destination = view.getUint32(at, false);
      });
    } else if (type === TUPLE_PROTOCOL) {
      eachAttribute(view, start, end, (inner, at, to) => {
        if (inner === NUMBER && to > at) tuple.protocol = view.getUint8(at);
        if (to - at < 2) return;
        if (inner === SOURCE_PORT) tuple.sport = view.getUint16(at, false);
        if (inner === ICMP_ID) tuple.id = view.getUint16(at, false);
        if (inner === DESTINATION_PORT) tuple.dport = view.getUint16(at, false);
      });
    }
  });
  return tuple;
}

function eachAttribute(
  view: DataView,
  from: number,
  to: number,
  take: (type: number, start: number, end: number) => void,
): void {
  for (let at = from; at + 4 <= to;) {
    const length = view.getUint16(at, true);
    if (length < 4 || at + length > to) return;
    take(view.getUint16(at + 2, true) & TYPE_BITS, at + 4, at + length);
    at += (length + 3) & ~3;
  }
}
