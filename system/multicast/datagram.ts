/** A UDP datagram in an IPv4 packet. */
export interface Datagram {
  readonly source: number;
  readonly destination: number;
  readonly ttl: number;
  readonly sourcePort: number;
  readonly port: number;
  readonly payload: Uint8Array;
}

const UDP = 17, IP_HEADER = 20, UDP_HEADER = 8;

/** Largest payload that is reflected: what fits an Ethernet frame without fragments. */
export const MAX_PAYLOAD = 1500 - IP_HEADER - UDP_HEADER;

/** Parses a packet (RFC 791, RFC 768); null for a fragment, another protocol or a truncated one. */
export function parseDatagram(packet: Uint8Array): Datagram | null {
  if (packet.length < IP_HEADER) return null;
  const view = new DataView(packet.buffer, packet.byteOffset, packet.byteLength);
  const header = (view.getUint8(0) & 15) * 4;
  if (view.getUint8(0) >>> 4 !== 4 || header < IP_HEADER) return null;
  const total = view.getUint16(2);
  if (total > packet.length || total < header + UDP_HEADER) return null;
  // More fragments, or an offset.
  if ((view.getUint16(6) & 0x3fff) !== 0 || view.getUint8(9) !== UDP) return null;
  const length = view.getUint16(header + 4);
  if (length < UDP_HEADER || header + length > total) return null;
  return {
    source: view.getUint32(12),
    destination: view.getUint32(16),
    ttl: view.getUint8(8),
    sourcePort: view.getUint16(header),
    port: view.getUint16(header + 2),
    payload: packet.slice(header + UDP_HEADER, header + length),
  };
}

/**
 * The packet of a datagram, with its checksums. Identification and the header's own checksum stay
 * zero: the kernel fills them in (raw(7)).
 */
export function formatDatagram(datagram: Datagram): Uint8Array<ArrayBuffer> {
  const { source, destination, payload } = datagram;
  const length = UDP_HEADER + payload.length;
  const packet = new Uint8Array(IP_HEADER + length);
  const view = new DataView(packet.buffer);
  view.setUint8(0, 0x45);
  view.setUint16(2, packet.length);
  view.setUint8(8, datagram.ttl);
  view.setUint8(9, UDP);
  view.setUint32(12, source);
  view.setUint32(16, destination);
  view.setUint16(IP_HEADER, datagram.sourcePort);
  view.setUint16(IP_HEADER + 2, datagram.port);
  view.setUint16(IP_HEADER + 4, length);
  packet.set(payload, IP_HEADER + UDP_HEADER);
  view.setUint16(IP_HEADER + 6, udpChecksum(view, length));
  return packet;
}

/** RFC 768: over both addresses, the protocol, the length and the datagram; never zero. */
function udpChecksum(view: DataView, length: number): number {
  let sum = UDP + length;
  for (let at = 12; at < IP_HEADER; at += 2) sum += view.getUint16(at);
  for (let at = IP_HEADER; at < IP_HEADER + length; at += 2) {
    sum += at + 1 < IP_HEADER + length ? view.getUint16(at) : view.getUint8(at) << 8;
  }
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16);
  return (~sum & 0xffff) || 0xffff;
}
