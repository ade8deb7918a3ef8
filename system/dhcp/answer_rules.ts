import { formatIpv4, parseIpv4 } from "../core/net.ts";
import { leaseSeconds } from "./schema.ts";
import type { DhcpAnswer } from "./schema.ts";
import {
  addressBytes,
  type DhcpMessage,
  type DhcpReply,
  MESSAGE,
  numberBytes,
  OPTION,
} from "./packet.ts";

/** Prefix of a device's own network. */
const MASK = "255.255.255.252";
const NO_ADDRESS = "0.0.0.0";

/** True for a message whose answer depends on the client's address, which the api is asked for. */
export function needsLease(message: DhcpMessage): boolean {
  const { discover, request, inform } = MESSAGE;
  return message.giaddr === NO_ADDRESS &&
    [discover, request, inform].some((t) => t === message.type);
}

/**
 * The answer to a client that has, or is given, this lease; null when it is to get none (RFC 2131
 * 4.3). A request for another address is refused, so that the client asks anew at once.
 */
export function dhcpReply(message: DhcpMessage, lease: DhcpAnswer): DhcpReply | null {
  const server = addressOf(message, OPTION.serverId);
  switch (message.type) {
    case MESSAGE.discover:
      return given(message, lease, MESSAGE.offer);
    case MESSAGE.inform:
      // RFC 2131 4.3.5: no address and no lease time.
      return {
        type: MESSAGE.ack,
        request: message,
        yiaddr: NO_ADDRESS,
        options: [serverId(lease), ...settings(lease)],
      };
    case MESSAGE.request: {
      // The client chose the offer of another server.
      if (server !== null && server !== lease.DNSIP) return null;
      const wanted = addressOf(message, OPTION.requestedAddress) ?? message.ciaddr;
      if (wanted === lease.IP) return given(message, lease, MESSAGE.ack);
      return {
        type: MESSAGE.nak,
        request: message,
        yiaddr: NO_ADDRESS,
        options: [serverId(lease)],
      };
    }
    default:
      return null;
  }
}

/** Where an answer goes: the client's address where it has one that it hears, else everyone on the link. */
export function replyAddress(reply: DhcpReply): string {
  const { request, type } = reply;
  if (type === MESSAGE.nak) return "255.255.255.255";
  if (request.ciaddr !== NO_ADDRESS) return request.ciaddr;
  return request.broadcast ? "255.255.255.255" : reply.yiaddr;
}

function given(
  message: DhcpMessage,
  lease: DhcpAnswer,
  type: typeof MESSAGE.offer | typeof MESSAGE.ack,
): DhcpReply {
  const seconds = leaseSeconds(lease.LeaseTime);
  return {
    type,
    request: message,
    yiaddr: lease.IP,
    options: [
      serverId(lease),
      [OPTION.leaseTime, numberBytes(seconds)],
      [OPTION.renewalTime, numberBytes(Math.floor(seconds / 2))],
      [OPTION.rebindingTime, numberBytes(Math.floor(seconds * 7 / 8))],
      ...settings(lease),
    ],
  };
}

function serverId(lease: DhcpAnswer): readonly [number, Uint8Array] {
  return [OPTION.serverId, addressBytes(lease.DNSIP)];
}

function settings(lease: DhcpAnswer): readonly (readonly [number, Uint8Array])[] {
  const broadcast = formatIpv4((parseIpv4(lease.IP) ?? 0) + 1);
  return [
    [OPTION.mask, addressBytes(MASK)],
    [OPTION.router, addressBytes(lease.RouterIP)],
    [OPTION.dns, addressBytes(lease.DNSIP)],
    [OPTION.broadcast, addressBytes(broadcast)],
  ];
}

function addressOf(message: DhcpMessage, code: number): string | null {
  const value = message.options.get(code);
  if (value?.length !== 4) return null;
  return formatIpv4(new DataView(value.buffer, value.byteOffset, 4).getUint32(0));
}

/** The host name that a client sends, as text; "" for none. What is kept of it the api decides. */
export function sentName(message: DhcpMessage): string {
  const plain = message.options.get(OPTION.hostName);
  // RFC 4702 2: flags and two result codes stand before the name.
  const full = message.options.get(OPTION.clientName)?.subarray(3);
  const bytes = plain ?? full ?? new Uint8Array();
  // deno-lint-ignore no-control-regex -- some clients end the name with a NUL
  return new TextDecoder("latin1").decode(bytes).replace(/\u0000+$/, "");
}
