import type { LoggedPacket } from "../../../core/kernel/logged_packet.ts";
import { formatIpv4 } from "../../../core/net/net.ts";
import { attribute, attributesOf, type Message, type Request, textOf } from "../message.ts";
import { FLAG } from "../route/constants.ts";
import { readHeaders } from "./headers.ts";

/*
 * Messages of nfnetlink_log (linux/netfilter/nfnetlink_log.h): the request that takes a log group, and
 * the packets that come of it. Numbers are in network order.
 */

const SUBSYSTEM = 4 << 8; // NFNL_SUBSYS_ULOG
const MSG_PACKET = SUBSYSTEM, MSG_CONFIG = SUBSYSTEM | 1;
const AF_UNSPEC = 0;
/** Length of struct nfgenmsg. */
const GENERIC_HEADER = 4;

const CFG = { command: 1, mode: 2, timeout: 4, flags: 6 } as const;
const BIND = 1; // NFULNL_CFG_CMD_BIND
const COPY_PACKET = 2;
/** Bytes of each packet that are copied: the longest IP header, and one of TCP without options. */
const COPIED_BYTES = 80;
/** Hundredths of a second that the kernel gathers packets. */
const GATHER_TIME = 10;
const FLAG_SEQUENCE = 1, FLAG_CONNTRACK = 4;

const NFULA = {
  packetHeader: 1,
  timestamp: 3,
  inDevice: 4,
  outDevice: 5,
  hardwareAddress: 8,
  payload: 9,
  prefix: 10,
  sequence: 12,
  hardwareType: 15,
  linkHeader: 16,
  connection: 18,
} as const;
const CONNECTION = { original: 1, ip: 1, protocol: 2, destination: 2, destinationPort: 3 } as const;

/** Ethernet as ARPHRD_ETHER, and the length of its header. */
const ETHERNET = 1, ETHERNET_HEADER = 14;
const MAC_BYTES = 6;
/** Longest prefix of ours; whatever another program logs is cut to it. */
const MAX_PREFIX = 128;

const big16 = (value: number): readonly number[] => [value >> 8 & 255, value & 255];
const big32 = (value: number): readonly number[] => [...big16(value >>> 16), ...big16(value)];

/** Takes a log group: its packets come to this socket, numbered. `conntrack`: with their connections. */
export function bindRequest(group: number, conntrack: boolean): Request {
  const flags = FLAG_SEQUENCE | (conntrack ? FLAG_CONNTRACK : 0);
  return {
    type: MSG_CONFIG,
    flags: FLAG.ack,
    body: new Uint8Array([AF_UNSPEC, 0, ...big16(group)]),
    attributes: [
      attribute(CFG.command, [BIND]),
      attribute(CFG.mode, [...big32(COPIED_BYTES), COPY_PACKET, 0]),
      attribute(CFG.timeout, big32(GATHER_TIME)),
      attribute(CFG.flags, big16(flags)),
    ],
  };
}

/** A packet of the kernel; its interfaces by their index, 0 for none. */
export interface RawPacket extends Omit<LoggedPacket, "inDev" | "outDev" | "at"> {
  readonly inIndex: number;
  readonly outIndex: number;
  /** Unix milliseconds; null where the kernel gives none. */
  readonly at: number | null;
  /** Of the group: one more for each packet, also for those that are lost. */
  readonly sequence: number | null;
}

/** The packet in a message; null for any other message, or one that is none. Never throws. */
export function readPacket({ type, payload }: Message): RawPacket | null {
  if (type !== MSG_PACKET || payload.length < GENERIC_HEADER) return null;
  const found = attributesOf(payload, GENERIC_HEADER);
  const prefix = textOf(found[NFULA.prefix]);
  if (found[NFULA.packetHeader] === undefined || prefix === null) return null;
  const seconds = number64(found[NFULA.timestamp], 0);
  const micros = number64(found[NFULA.timestamp], 8);
  const original = readOriginal(found[NFULA.connection]);
  const ethernet = readEthernet(found);
  return {
    group: payload[2]! << 8 | payload[3]!,
    prefix: prefix.slice(0, MAX_PREFIX),
    at: seconds === null || micros === null ? null : seconds * 1000 + Math.floor(micros / 1000),
    inIndex: number32(found[NFULA.inDevice]) ?? 0,
    outIndex: number32(found[NFULA.outDevice]) ?? 0,
    sequence: number32(found[NFULA.sequence]),
    ...(ethernet === null ? {} : { Ethernet: ethernet }),
    ...readHeaders(found[NFULA.payload] ?? new Uint8Array()),
    ...(original === null ? {} : { original }),
  };
}

function viewOf(body: Uint8Array | undefined, bytes: number): DataView | null {
  return body === undefined || body.length < bytes
    ? null
    : new DataView(body.buffer, body.byteOffset, body.byteLength);
}

function number32(body: Uint8Array | undefined): number | null {
  return viewOf(body, 4)?.getUint32(0) ?? null;
}

/** Null also for one that no clock shows. */
function number64(body: Uint8Array | undefined, at: number): number | null {
  const value = viewOf(body, at + 8)?.getBigUint64(at) ?? null;
  return value === null || value > 0xffff_ffff_ffn ? null : Number(value);
}

function macOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join(":");
}

function readEthernet(
  found: readonly (Uint8Array | undefined)[],
): LoggedPacket["Ethernet"] | null {
  const HwType = viewOf(found[NFULA.hardwareType], 2)?.getUint16(0) ?? ETHERNET;
  const header = found[NFULA.linkHeader];
  if (HwType === ETHERNET && header?.length === ETHERNET_HEADER) {
    return {
      SrcMAC: macOf(header.subarray(MAC_BYTES, 2 * MAC_BYTES)),
      DstMAC: macOf(header.subarray(0, MAC_BYTES)),
      HwType,
    };
  }
  // struct nfulnl_msg_packet_hw: length, padding, address.
  const hardware = viewOf(found[NFULA.hardwareAddress], 4 + MAC_BYTES);
  if (hardware === null || hardware.getUint16(0) !== MAC_BYTES) return null;
  const from = found[NFULA.hardwareAddress]!.subarray(4, 4 + MAC_BYTES);
  return { SrcMAC: macOf(from), HwType };
}

/** Where the first packet of the connection was sent, for IPv4. */
function readOriginal(body: Uint8Array | undefined): LoggedPacket["original"] | null {
  const empty = new Uint8Array();
  const tuple = attributesOf(attributesOf(body ?? empty)[CONNECTION.original] ?? empty);
  const address = attributesOf(tuple[CONNECTION.ip] ?? empty)[CONNECTION.destination];
  const port = attributesOf(tuple[CONNECTION.protocol] ?? empty)[CONNECTION.destinationPort];
  const value = address?.length === 4 ? number32(address) : null;
  if (value === null) return null;
  return { address: formatIpv4(value), port: viewOf(port, 2)?.getUint16(0) ?? 0 };
}
