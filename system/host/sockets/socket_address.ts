import { AF_INET, AF_PACKET, SOCKADDR_IN_SIZE, SOCKADDR_LL_SIZE } from "./abi.ts";

/** A number of 16 bits in the network's order, on the little-endian machines that Deno runs on. */
export function networkOrder(value: number): number {
  return (value & 255) << 8 | value >> 8;
}

/** struct sockaddr_ll of packet(7). `protocol`: an EtherType in the network's order; `mac`: of the receiver. */
export function linkAddress(
  { index, protocol, mac }: {
    readonly index: number;
    readonly protocol: number;
    readonly mac?: string;
  },
): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(SOCKADDR_LL_SIZE);
  const view = new DataView(bytes.buffer);
  view.setUint16(0, AF_PACKET, true);
  view.setUint16(2, protocol, true);
  view.setInt32(4, index, true);
  if (mac !== undefined) {
    bytes[11] = 6;
    bytes.set(mac.split(":").map((pair) => parseInt(pair, 16)), 12);
  }
  return bytes;
}

/** struct sockaddr_in of ip(7): an IPv4 address as a number, 0 for any, and a port. */
export function ipv4Address(address: number, port = 0): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(SOCKADDR_IN_SIZE);
  const view = new DataView(bytes.buffer);
  view.setUint16(0, AF_INET, true);
  view.setUint16(2, port);
  view.setUint32(4, address);
  return bytes;
}
