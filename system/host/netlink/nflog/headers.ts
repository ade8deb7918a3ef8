import type { PacketHeaders } from "../../../core/kernel/logged_packet.ts";
import { formatAddress, formatIpv4 } from "../../../core/net/net.ts";

/** Protocols behind IP (IANA protocol numbers). */
const ICMP = 1, TCP = 6, UDP = 17, ICMPV6 = 58;
/** Lengths of the shortest headers (RFC 791, 8200, 9293, 768). */
const IPV4_HEADER = 20, IPV6_HEADER = 40, TCP_HEADER = 20, UDP_HEADER = 8;

type Layers = Pick<PacketHeaders, "IP" | "TCP" | "UDP" | "ICMP">;

/** The headers at the start of an IP packet, as far as they are whole. Never throws. */
export function readHeaders(packet: Uint8Array): Layers {
  const version = (packet[0] ?? 0) >> 4;
  const view = new DataView(packet.buffer, packet.byteOffset, packet.byteLength);
  if (version === 4 && packet.length >= IPV4_HEADER) return readIpv4(view);
  if (version === 6 && packet.length >= IPV6_HEADER) return readIpv6(view);
  return {};
}

function readIpv4(view: DataView): Layers {
  const IHL = view.getUint8(0) & 15;
  const fragment = view.getUint16(6);
  const Protocol = view.getUint8(9), FragOffset = fragment & 0x1fff;
  const IP = {
    Version: 4,
    IHL,
    TOS: view.getUint8(1),
    Length: view.getUint16(2),
    Id: view.getUint16(4),
    Flags: fragment >> 13,
    FragOffset,
    TTL: view.getUint8(8),
    Protocol,
    Checksum: view.getUint16(10),
    SrcIP: formatIpv4(view.getUint32(12)),
    DstIP: formatIpv4(view.getUint32(16)),
  };
  // Only the first fragment has the header behind.
  return { IP, ...(FragOffset === 0 ? readTransport(view, IHL * 4, Protocol) : {}) };
}

function readIpv6(view: DataView): Layers {
  const Protocol = view.getUint8(6);
  const address = (from: number): string =>
    formatAddress({
      family: 6,
      value: view.getBigUint64(from) << 64n | view.getBigUint64(from + 8),
    });
  const IP = {
    Version: 6,
    TOS: view.getUint16(0) >> 4 & 255,
    Length: view.getUint16(4),
    TTL: view.getUint8(7),
    Protocol,
    SrcIP: address(8),
    DstIP: address(24),
  };
  return { IP, ...readTransport(view, IPV6_HEADER, Protocol) };
}

function readTransport(view: DataView, at: number, protocol: number): Omit<Layers, "IP"> {
  const left = view.byteLength - at;
  if (at < IPV4_HEADER) return {};
  if (protocol === TCP && left >= TCP_HEADER) return { TCP: readTcp(view, at) };
  if (protocol === UDP && left >= UDP_HEADER) {
    return {
      UDP: {
        SrcPort: view.getUint16(at),
        DstPort: view.getUint16(at + 2),
        Length: view.getUint16(at + 4),
        Checksum: view.getUint16(at + 6),
      },
    };
  }
  if ((protocol === ICMP || protocol === ICMPV6) && left >= 2) {
    return { ICMP: { Type: view.getUint8(at), Code: view.getUint8(at + 1) } };
  }
  return {};
}

function readTcp(view: DataView, at: number): NonNullable<Layers["TCP"]> {
  const flags = view.getUint16(at + 12);
  const has = (bit: number): boolean => (flags & bit) !== 0;
  return {
    SrcPort: view.getUint16(at),
    DstPort: view.getUint16(at + 2),
    Seq: view.getUint32(at + 4),
    Ack: view.getUint32(at + 8),
    DataOffset: flags >> 12,
    ...{ FIN: has(1), SYN: has(2), RST: has(4), PSH: has(8), ACK: has(16), URG: has(32) },
    ...{ ECE: has(64), CWR: has(128), NS: has(256) },
    Window: view.getUint16(at + 14),
    Checksum: view.getUint16(at + 16),
    Urgent: view.getUint16(at + 18),
  };
}
