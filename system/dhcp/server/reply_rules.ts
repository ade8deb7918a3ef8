import { formatIpv4, parseIpv4 } from "../../core/net/net.ts";
import { leaseSeconds } from "../schema.ts";
import type { ClientMessage, LeaseDecision } from "../api_schema.ts";
import { nameOptions } from "./client_names.ts";
import { BROADCAST, type OutgoingMessage } from "./frame.ts";
import {
  addressBytes,
  type DhcpMessage,
  type DhcpReply,
  encodeDhcp,
  MESSAGE,
  numberBytes,
  OPTION,
  shortBytes,
} from "./packet.ts";

/** Prefix of a device's own network. */
const MASK = "255.255.255.252";
const NO_ADDRESS = "0.0.0.0";
/** Limits of the MTU option: every host takes 576 bytes (RFC 791), and 1500 is the default. */
const MTU = { min: 576, default: 1500 } as const;

const KINDS: ReadonlyMap<number, ClientMessage["kind"]> = new Map([
  [MESSAGE.discover, "discover"],
  [MESSAGE.request, "request"],
  [MESSAGE.inform, "inform"],
  [MESSAGE.decline, "decline"],
  [MESSAGE.release, "release"],
]);

/** The kind of a message that came from the interface itself; null for none that is served. */
export function messageKind(message: DhcpMessage): ClientMessage["kind"] | null {
  // Sent through a relay (RFC 1542), which no LAN interface has.
  if (message.giaddr !== NO_ADDRESS) return null;
  return KINDS.get(message.type) ?? null;
}

/** The address that a client has or requests; "" for none (RFC 2131 4.3). */
export function requestedAddress(message: DhcpMessage): string {
  const requested = addressOf(message, OPTION.requestedAddress) ?? message.ciaddr;
  return requested === NO_ADDRESS ? "" : requested;
}

/** The server that a client chose, or null where it names none. */
export function chosenServer(message: DhcpMessage): string | null {
  return addressOf(message, OPTION.serverId);
}

/** A client's lease, and the MTU of its interface in bytes; null when unknown. */
export interface ReplyContext {
  readonly lease: LeaseDecision;
  readonly mtu: number | null;
}

/**
 * The reply to a client with this lease; null for none (RFC 2131 4.3). A request for another address
 * is refused with a NAK, so that the client restarts at once.
 */
export function dhcpReply(message: DhcpMessage, context: ReplyContext): DhcpReply | null {
  const { lease } = context;
  const server = chosenServer(message);
  switch (message.type) {
    case MESSAGE.discover:
      return leaseReply(message, context, MESSAGE.offer);
    case MESSAGE.inform:
      // RFC 2131 4.3.5: no address and no lease time.
      return {
        type: MESSAGE.ack,
        request: message,
        yiaddr: NO_ADDRESS,
        options: [serverId(lease), ...settingOptions(message, context)],
      };
    case MESSAGE.request: {
      // The client chose the offer of another server.
      if (server !== null && server !== lease.DNSIP) return null;
      const requested = requestedAddress(message);
      if (requested === lease.IP) return leaseReply(message, context, MESSAGE.ack);
      return {
        type: MESSAGE.nak,
        request: message,
        yiaddr: NO_ADDRESS,
        options: [serverId(lease), ...clientId(message)],
      };
    }
    default:
      return null;
  }
}

/**
 * Addresses a reply (RFC 2131 4.1): unicast where the client has an address or can receive on the new
 * one, else broadcast; from the router's LAN address.
 */
export function outgoing(reply: DhcpReply, lease: LeaseDecision): OutgoingMessage {
  const { request, type } = reply;
  const own = request.ciaddr === NO_ADDRESS ? reply.yiaddr : request.ciaddr;
  const broadcast = type === MESSAGE.nak || (request.ciaddr === NO_ADDRESS && request.broadcast);
  return {
    message: encodeDhcp(reply),
    source: lease.DNSIP,
    ...(broadcast ? BROADCAST : { address: own, mac: request.mac }),
  };
}

function leaseReply(
  message: DhcpMessage,
  context: ReplyContext,
  type: typeof MESSAGE.offer | typeof MESSAGE.ack,
): DhcpReply {
  const { lease } = context;
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
      ...settingOptions(message, context),
    ],
  };
}

function serverId(lease: LeaseDecision): readonly [number, Uint8Array] {
  return [OPTION.serverId, addressBytes(lease.DNSIP)];
}

function settingOptions(
  message: DhcpMessage,
  { lease, mtu }: ReplyContext,
): readonly (readonly [number, Uint8Array])[] {
  const requested = message.options.get(OPTION.parameterList);
  const small = mtu !== null && mtu >= MTU.min && mtu < MTU.default;
  const time = Uint8Array.from(lease.ntp.flatMap((address) => [...addressBytes(address)]));
  const broadcast = formatIpv4((parseIpv4(lease.IP) ?? 0) + 1);
  return [
    [OPTION.mask, addressBytes(MASK)],
    [OPTION.router, addressBytes(lease.RouterIP)],
    [OPTION.dns, addressBytes(lease.DNSIP)],
    [OPTION.broadcast, addressBytes(broadcast)],
    ...(small && requested?.includes(OPTION.mtu) ? [[OPTION.mtu, shortBytes(mtu)] as const] : []),
    ...(time.length > 0 && requested?.includes(OPTION.ntp) ? [[OPTION.ntp, time] as const] : []),
    ...nameOptions(message, lease.name),
    ...clientId(message),
  ];
}

/** RFC 6842 3: the client identifier is echoed. */
function clientId(message: DhcpMessage): readonly (readonly [number, Uint8Array])[] {
  const id = message.options.get(OPTION.clientId);
  return id === undefined || id.length > 255 ? [] : [[OPTION.clientId, id]];
}

function addressOf(message: DhcpMessage, code: number): string | null {
  const value = message.options.get(code);
  if (value?.length !== 4) return null;
  return formatIpv4(new DataView(value.buffer, value.byteOffset, 4).getUint32(0));
}
