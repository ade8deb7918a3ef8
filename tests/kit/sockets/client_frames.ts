import { AF_PACKET, ETH_P_IP, SOCK_RAW } from "../../../system/host/sockets/abi.ts";
import { interfaceIndex } from "../../../system/host/sockets/interface_facts.ts";
import { openLibc } from "../../../system/host/sockets/libc.ts";
import { linkAddress, networkOrder } from "../../../system/host/sockets/socket_address.ts";
import { BROADCAST, dhcpPacket } from "../../../system/dhcp/server/frame.ts";

const bytesOf = (mac: string): number[] => mac.split(":").map((pair) => parseInt(pair, 16));

/**
 * Broadcasts messages of DHCP clients on an interface, each in a frame from the given MAC address: a
 * machine may send from any. Returns how it sends one. Needs root.
 */
export function clientFrames(
  link: string,
): (message: Uint8Array<ArrayBuffer>, from: string) => boolean {
  const { symbols } = openLibc({
    socket: { parameters: ["i32", "i32", "i32"], result: "i32" },
    sendto: { parameters: ["i32", "buffer", "usize", "i32", "buffer", "u32"], result: "isize" },
  });
  const socket = symbols.socket(AF_PACKET, SOCK_RAW, 0);
  const protocol = networkOrder(ETH_P_IP);
  const to = linkAddress({ index: interfaceIndex(link), protocol, mac: BROADCAST.mac });
  return (message, from) => {
    const packet = dhcpPacket({ message, source: "0.0.0.0", ...BROADCAST }, { from: 68, to: 67 });
    const frame = new Uint8Array(14 + packet.length);
    frame.set([...bytesOf(BROADCAST.mac), ...bytesOf(from), 8, 0]);
    frame.set(packet, 14);
    return Number(symbols.sendto(socket, frame, BigInt(frame.length), 0, to, to.length)) > 0;
  };
}

/** The MAC address that a client's message names. */
export function namedIn(message: Uint8Array): string {
  return Array.from(message.subarray(28, 34), (byte) => byte.toString(16).padStart(2, "0"))
    .join(":");
}
