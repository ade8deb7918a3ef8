import { parseIpv4 } from "../../core/net/net.ts";

/** How often a card is asked for, and for how many milliseconds its answer is waited for each time. */
const TRIES = 3, PATIENCE = 300;
/** RFC 826: Ethernet, IPv4, and what is said. */
const ETHERNET = 1, IPV4 = 0x0800, REQUEST = 1, REPLY = 2;
/** Size of an ARP packet for Ethernet and IPv4. */
const SIZE = 28;

/** How a link is asked who has an address. */
export interface ArpLink {
  /** The router's own card on the link. */
  readonly mac: string;
  send(packet: Uint8Array<ArrayBuffer>, mac: string): boolean;
  /** The next ARP packet; null when none came in a while. */
  receive(): Promise<Uint8Array | null>;
  readonly clock: () => number;
}

/** A card and its address. */
export interface Owner {
  readonly mac: string;
  readonly address: string;
}

/**
 * True when a card answers for its address on a link. It is asked as one that looks for a double
 * address asks (RFC 5227 2.1.1), which changes nobody's tables.
 */
export async function answersStill(
  link: ArpLink,
  owner: Owner,
  signal: AbortSignal,
): Promise<boolean> {
  const question = arpQuestion(link.mac, owner.address);
  for (let turn = 0; turn < TRIES; turn++) {
    link.send(question, owner.mac);
    const until = link.clock() + PATIENCE;
    while (link.clock() < until) {
      if (signal.aborted) return false;
      const packet = await link.receive();
      if (packet !== null && isAnswer(packet, owner)) return true;
    }
  }
  return false;
}

/** Asks who has an address, without one of our own. */
export function arpQuestion(mac: string, address: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(SIZE);
  const view = new DataView(bytes.buffer);
  view.setUint16(0, ETHERNET);
  view.setUint16(2, IPV4);
  bytes.set([6, 4], 4);
  view.setUint16(6, REQUEST);
  bytes.set(cardBytes(mac), 8);
  view.setUint32(24, parseIpv4(address) ?? 0);
  return bytes;
}

/** True for the answer of this card for this address. */
export function isAnswer(packet: Uint8Array, owner: Owner): boolean {
  if (packet.length < SIZE) return false;
  const view = new DataView(packet.buffer, packet.byteOffset, packet.byteLength);
  if (view.getUint16(0) !== ETHERNET || view.getUint16(2) !== IPV4) return false;
  if (view.getUint16(6) !== REPLY || view.getUint32(14) !== parseIpv4(owner.address)) return false;
  return cardBytes(owner.mac).every((byte, at) => packet[8 + at] === byte);
}

function cardBytes(mac: string): number[] {
  return mac.split(":").map((pair) => parseInt(pair, 16));
}
