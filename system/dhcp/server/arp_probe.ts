import { parseIpv4 } from "../../core/net/net.ts";
import { ARP_SIZE, arpPacket, ETHERNET, IPV4, REPLY, REQUEST } from "./arp_packet.ts";
import { macBytes } from "./packet.ts";

/** Probes that are sent, and the time to wait for a reply to each. */
const MAX_PROBES = 3, REPLY_TIMEOUT_MS = 300;

/** ARP on one interface. */
export interface ArpLink {
  /** The router's own MAC address on the interface. */
  readonly mac: string;
  send(packet: Uint8Array<ArrayBuffer>, mac: string): boolean;
  /** The next ARP packet; null when none came in a while. */
  receive(): Promise<Uint8Array | null>;
  readonly clock: () => number;
}

/** A MAC address and its IP address. */
export interface Neighbour {
  readonly mac: string;
  readonly address: string;
}

/**
 * True when a MAC address answers ARP for its IP address on an interface. Sends ARP probes (RFC 5227 2.1.1),
 * which change no host's ARP table.
 */
export async function answersArp(
  link: ArpLink,
  neighbour: Neighbour,
  signal: AbortSignal,
): Promise<boolean> {
  const probe = arpProbe(link.mac, neighbour.address);
  for (let attempt = 0; attempt < MAX_PROBES; attempt++) {
    link.send(probe, neighbour.mac);
    const until = link.clock() + REPLY_TIMEOUT_MS;
    while (link.clock() < until) {
      if (signal.aborted) return false;
      const packet = await link.receive();
      if (packet !== null && isReplyFrom(packet, neighbour)) return true;
    }
  }
  return false;
}

/** An ARP probe: a request with no sender address (RFC 5227 2.1.1). */
export function arpProbe(mac: string, address: string): Uint8Array<ArrayBuffer> {
  return arpPacket(REQUEST, { sender: { mac }, target: { address } });
}

/** True for the ARP reply of this neighbour. */
function isReplyFrom(packet: Uint8Array, neighbour: Neighbour): boolean {
  if (packet.length < ARP_SIZE) return false;
  const view = new DataView(packet.buffer, packet.byteOffset, packet.byteLength);
  if (view.getUint16(0) !== ETHERNET || view.getUint16(2) !== IPV4) return false;
  if (view.getUint16(6) !== REPLY || view.getUint32(14) !== parseIpv4(neighbour.address)) {
    return false;
  }
  return macBytes(neighbour.mac).every((byte, at) => packet[8 + at] === byte);
}
