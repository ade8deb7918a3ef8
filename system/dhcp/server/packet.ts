import { formatIpv4, parseIpv4 } from "../../core/net/net.ts";

/** Message types (RFC 2132 9.6). */
export const MESSAGE = {
  discover: 1,
  offer: 2,
  request: 3,
  decline: 4,
  ack: 5,
  nak: 6,
  release: 7,
  inform: 8,
} as const;
export type MessageType = (typeof MESSAGE)[keyof typeof MESSAGE];

/** Option codes that Sluice reads or writes (RFC 2132, RFC 4702 for 81, RFC 3397 for 119). */
export const OPTION = {
  mask: 1,
  router: 3,
  dns: 6,
  hostName: 12,
  domain: 15,
  mtu: 26,
  broadcast: 28,
  ntp: 42,
  requestedAddress: 50,
  leaseTime: 51,
  overload: 52,
  messageType: 53,
  serverId: 54,
  parameterList: 55,
  renewalTime: 58,
  rebindingTime: 59,
  vendorClass: 60,
  clientId: 61,
  clientName: 81,
  search: 119,
} as const;

/** A client's message, as far as Sluice reads it (RFC 2131 2). */
export interface DhcpMessage {
  readonly type: MessageType;
  readonly xid: number;
  /** The client requests broadcast replies. */
  readonly broadcast: boolean;
  /** "0.0.0.0" where the client has no address. */
  readonly ciaddr: string;
  readonly giaddr: string;
  /** Lower case, joined by colons. */
  readonly mac: string;
  readonly options: ReadonlyMap<number, Uint8Array>;
}

/** A server's reply. */
export interface DhcpReply {
  readonly type: MessageType;
  readonly request: DhcpMessage;
  /** Address given; "0.0.0.0" in a NAK. */
  readonly yiaddr: string;
  readonly options: readonly (readonly [number, Uint8Array])[];
}

/** Fixed part of a message, up to the options. */
const HEADER = 240;
const COOKIE = 0x63825363;
/** Ethernet in the hardware types (RFC 1700). */
const ETHERNET = 1;
/** Shortest message that every client takes (RFC 1542 2.1). */
const SHORTEST = 300;
const PAD = 0, END = 255;
/** Options of a fixed length (RFC 2132) among those that are read. */
const FIXED: ReadonlySet<number> = new Set([
  ...[OPTION.requestedAddress, OPTION.overload, OPTION.messageType, OPTION.serverId],
]);

/** Reads a client's message; null for anything that is none: short, without a type, of another hardware. */
export function decodeDhcp(bytes: Uint8Array): DhcpMessage | null {
  if (bytes.length < HEADER) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [op, hardware, length] = bytes;
  if (op !== 1 || hardware !== ETHERNET || length !== 6) return null;
  if (view.getUint32(236) !== COOKIE) return null;
  const options = new Map<number, Uint8Array>();
  readOptions(bytes.subarray(HEADER), options);
  const overload = options.get(OPTION.overload)?.[0] ?? 0;
  // RFC 2131 4.1: the file field is read before the sname field.
  if ((overload & 1) !== 0) readOptions(bytes.subarray(108, 236), options);
  if ((overload & 2) !== 0) readOptions(bytes.subarray(44, 108), options);
  const type = options.get(OPTION.messageType);
  if (type?.length !== 1 || type[0]! < MESSAGE.discover || type[0]! > MESSAGE.inform) return null;
  return {
    type: type[0] as MessageType,
    xid: view.getUint32(4),
    broadcast: (view.getUint16(10) & 0x8000) !== 0,
    ciaddr: formatIpv4(view.getUint32(12)),
    giaddr: formatIpv4(view.getUint32(24)),
    mac: macAt(bytes),
    options,
  };
}

/** The MAC address that the start of a client's message names; null for another message or hardware. */
export function namedMac(bytes: Uint8Array): string | null {
  const [op, hardware, length] = bytes;
  return op === 1 && hardware === ETHERNET && length === 6 && bytes.length >= 34
    ? macAt(bytes)
    : null;
}

function macAt(bytes: Uint8Array): string {
  return Array.from(bytes.subarray(28, 34), (byte) => byte.toString(16).padStart(2, "0")).join(":");
}

/**
 * Reads code-length-value options. Parts of one code are joined (RFC 3396), but of one whose length is
 * fixed the first counts, since an option appears once (RFC 2131 4.1). An option that is cut off is left
 * out, and what comes before it counts.
 */
function readOptions(bytes: Uint8Array, options: Map<number, Uint8Array>): void {
  for (let at = 0; at < bytes.length;) {
    const code = bytes[at++]!;
    if (code === PAD) continue;
    if (code === END) return;
    const length = bytes[at++];
    if (length === undefined || at + length > bytes.length) return;
    const value = bytes.subarray(at, at + length);
    const before = options.get(code);
    if (before === undefined) options.set(code, value);
    else if (!FIXED.has(code)) options.set(code, joined(before, value));
    at += length;
  }
  // Some clients leave the end mark out when the packet ends with the last option.
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}

/** Encodes a server's reply, padded to what the oldest clients expect. */
export function encodeDhcp(reply: DhcpReply): Uint8Array<ArrayBuffer> {
  const { request } = reply;
  const options = [[OPTION.messageType, Uint8Array.of(reply.type)] as const, ...reply.options];
  const size = options.reduce((sum, [, value]) => sum + 2 + value.length, HEADER + 1);
  const bytes = new Uint8Array(Math.max(size, SHORTEST));
  const view = new DataView(bytes.buffer);
  bytes.set([2, ETHERNET, 6, 0]);
  view.setUint32(4, request.xid);
  view.setUint16(10, request.broadcast ? 0x8000 : 0);
  // RFC 2131 table 3: a NAK names no address, an ACK repeats the client's own.
  if (reply.type !== MESSAGE.nak) view.setUint32(12, parseIpv4(request.ciaddr) ?? 0);
  view.setUint32(16, parseIpv4(reply.yiaddr) ?? 0);
  view.setUint32(24, parseIpv4(request.giaddr) ?? 0);
  bytes.set(macBytes(request.mac), 28);
  view.setUint32(236, COOKIE);
  let at = HEADER;
  for (const [code, value] of options) {
    bytes[at++] = code;
    bytes[at++] = value.length;
    bytes.set(value, at);
    at += value.length;
  }
  bytes[at] = END;
  return bytes;
}

/** A broadcast DISCOVER of ours that requests broadcast replies. `mac` has six bytes. */
export function discoverMessage(xid: number, mac: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(SHORTEST);
  const view = new DataView(bytes.buffer);
  bytes.set([1, ETHERNET, 6, 0]);
  view.setUint32(4, xid);
  view.setUint16(10, 0x8000);
  bytes.set(mac, 28);
  view.setUint32(236, COOKIE);
  bytes.set([OPTION.messageType, 1, MESSAGE.discover, END], HEADER);
  return bytes;
}

/** The server of an OFFER in reply to `xid`; null for any other datagram. */
export function offeringServer(bytes: Uint8Array, xid: number): string | null {
  if (bytes.length < HEADER || bytes[0] !== 2) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.getUint32(4) !== xid || view.getUint32(236) !== COOKIE) return null;
  const options = new Map<number, Uint8Array>();
  readOptions(bytes.subarray(HEADER), options);
  if (options.get(OPTION.messageType)?.[0] !== MESSAGE.offer) return null;
  const id = options.get(OPTION.serverId);
  return id?.length === 4 ? id.join(".") : formatIpv4(view.getUint32(20));
}

/** The six bytes of a MAC address. */
export function macBytes(mac: string): number[] {
  return mac.split(":").map((pair) => parseInt(pair, 16));
}

/** An address as an option's value. Throws when it is no dotted quad. */
export function addressBytes(address: string): Uint8Array {
  const value = parseIpv4(address);
  if (value === null) throw new RangeError(`"${address}" is no IPv4 address`);
  return numberBytes(value);
}

/** A number of 16 bits as an option's value. */
export function shortBytes(value: number): Uint8Array {
  return Uint8Array.of(value >> 8 & 255, value & 255);
}

/** A number of 32 bits as an option's value. */
export function numberBytes(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value);
  return bytes;
}
