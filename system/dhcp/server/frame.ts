import { parseIpv4 } from "../../core/net/net.ts";
import { formatDatagram } from "../../multicast/datagram.ts";

/** Broadcast addresses. */
export const BROADCAST = { mac: "ff:ff:ff:ff:ff:ff", address: "255.255.255.255" } as const;

/** A DHCP message with its addresses, sent on the interface without routing. */
export interface OutgoingMessage {
  readonly message: Uint8Array<ArrayBuffer>;
  /** Address of the sender; "0.0.0.0" for one that has none. */
  readonly source: string;
  readonly address: string;
  readonly mac: string;
}

/** Ports of sender and receiver. */
export interface Ports {
  readonly from: number;
  readonly to: number;
}

/** Initial TTL. */
const TTL = 64;

/**
 * The whole IPv4 packet of a message: its source is as given, never one that the kernel picks from
 * another interface. Throws RangeError for an invalid address.
 */
export function dhcpPacket(
  { message, source, address }: OutgoingMessage,
  ports: Ports,
): Uint8Array<ArrayBuffer> {
  const from = parseIpv4(source), to = parseIpv4(address);
  if (from === null || to === null) throw new RangeError(`"${source}" to "${address}"`);
  const packet = formatDatagram({
    source: from,
    destination: to,
    ttl: TTL,
    sourcePort: ports.from,
    port: ports.to,
    payload: message,
  });
  const view = new DataView(packet.buffer);
  view.setUint16(10, headerChecksum(view));
  return packet;
}

/** RFC 1071 over the twenty bytes of a header whose checksum is zero. */
function headerChecksum(view: DataView): number {
  let sum = 0;
  for (let at = 0; at < 20; at += 2) sum += view.getUint16(at);
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16);
  return ~sum & 0xffff;
}
