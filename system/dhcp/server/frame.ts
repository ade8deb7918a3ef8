import { parseIpv4 } from "../../core/net/net.ts";
import { formatDatagram } from "../../multicast/datagram.ts";

/** Every card of a link. */
export const EVERYONE = { mac: "ff:ff:ff:ff:ff:ff", address: "255.255.255.255" } as const;

/** A DHCP message on its way, below routes: who it is from, and which card it goes to. */
export interface Outgoing {
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

/** Hops that a datagram may take; routers of the link pass it on nowhere. */
const TTL = 64;

/**
 * The IPv4 packet of a message, whole: its source is the one that is named, never one that the
 * kernel picks from another link. Throws when an address is none.
 */
export function dhcpPacket(
  { message, source, address }: Outgoing,
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
