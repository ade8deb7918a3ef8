import { parseIpv4 } from "../../../system/core/net/net.ts";

/** A packet that begins a connection: a TCP SYN, a UDP datagram or an echo request. */
export interface RawPacket {
  readonly source: string;
  readonly destination: string;
  readonly protocol: "tcp" | "udp" | "icmp";
  /** Source port, or the identifier of an echo: what the packet is known again by. */
  readonly id: number;
  /** Destination port; without meaning for icmp. */
  readonly port: number;
}

const NUMBER = { icmp: 1, tcp: 6, udp: 17 } as const; // IANA protocol numbers
const IP_HEADER = 20, TTL = 64;

/** The internet checksum (RFC 1071) of these bytes and a sum that goes before. */
function checksum(bytes: Uint8Array, before = 0): number {
  let sum = before;
  for (let i = 0; i < bytes.length; i += 2) sum += (bytes[i]! << 8) | (bytes[i + 1] ?? 0);
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16);
  return ~sum & 0xffff;
}

function segment({ protocol, id, port }: RawPacket): Uint8Array {
  const bytes = new Uint8Array(protocol === "tcp" ? 20 : 8);
  const view = new DataView(bytes.buffer);
  if (protocol === "icmp") {
    view.setUint8(0, 8); // RFC 792: echo
    view.setUint16(4, id);
    return bytes;
  }
  view.setUint16(0, id);
  view.setUint16(2, port);
  if (protocol === "udp") view.setUint16(4, 8);
  else {
    view.setUint32(4, id);
    view.setUint8(12, 5 << 4);
    view.setUint8(13, 0x02); // SYN
    view.setUint16(14, 65535);
  }
  return bytes;
}

/** The bytes of the packet from its IP header on. */
export function ipBytes(packet: RawPacket): Uint8Array<ArrayBuffer> {
  const body = segment(packet);
  const bytes = new Uint8Array(IP_HEADER + body.length);
  const view = new DataView(bytes.buffer);
  view.setUint8(0, 0x45);
  view.setUint16(2, bytes.length);
  view.setUint8(8, TTL);
  view.setUint8(9, NUMBER[packet.protocol]);
  view.setUint32(12, parseIpv4(packet.source)!);
  view.setUint32(16, parseIpv4(packet.destination)!);
  view.setUint16(10, checksum(bytes.subarray(0, IP_HEADER)));
  const ends = ~checksum(bytes.subarray(12, IP_HEADER)) & 0xffff;
  const pseudo = packet.protocol === "icmp" ? 0 : ends + NUMBER[packet.protocol] + body.length;
  const at = packet.protocol === "tcp" ? 16 : packet.protocol === "udp" ? 6 : 2;
  bytes.set(body, IP_HEADER);
  view.setUint16(IP_HEADER + at, checksum(body, pseudo));
  return bytes;
}

/** The packet in an Ethernet frame from one card to another. */
export function frameBytes(
  packet: RawPacket,
  cards: { readonly from: string; readonly to: string },
): Uint8Array<ArrayBuffer> {
  const body = ipBytes(packet);
  const frame = new Uint8Array(14 + body.length);
  const card = (mac: string): number[] => mac.split(":").map((pair) => parseInt(pair, 16));
  frame.set(card(cards.to), 0);
  frame.set(card(cards.from), 6);
  frame.set([0x08, 0x00], 12); // ETH_P_IP
  frame.set(body, 14);
  return frame;
}
