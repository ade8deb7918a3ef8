import { parseIpv4 } from "../../core/net/net.ts";
import { macBytes } from "./packet.ts";

/** RFC 826: hardware type, protocol type, operations. */
export const ETHERNET = 1, IPV4 = 0x0800, REQUEST = 1, REPLY = 2;
/** Size of an ARP packet for Ethernet and IPv4, in bytes. */
export const ARP_SIZE = 28;

/** One end of an ARP packet. Left out is what the packet does not say: its bytes are zero. */
export interface ArpEnd {
  readonly mac?: string;
  readonly address?: string;
}

/** An ARP packet for Ethernet and IPv4 (RFC 826), without the header of its frame. */
export function arpPacket(
  operation: typeof REQUEST | typeof REPLY,
  { sender, target }: { readonly sender: ArpEnd; readonly target: ArpEnd },
): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(ARP_SIZE);
  const view = new DataView(bytes.buffer);
  view.setUint16(0, ETHERNET);
  view.setUint16(2, IPV4);
  bytes.set([6, 4], 4);
  view.setUint16(6, operation);
  for (const [at, { mac, address }] of [[8, sender], [18, target]] as const) {
    if (mac !== undefined) bytes.set(macBytes(mac), at);
    view.setUint32(at + 6, parseIpv4(address ?? "") ?? 0);
  }
  return bytes;
}
