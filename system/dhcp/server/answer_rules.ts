import { formatIpv4, parseIpv4 } from "../../core/net/net.ts";
import { leaseSeconds } from "../schema.ts";
import type { Ask, Told } from "../ask_schema.ts";
import { nameOptions } from "./client_names.ts";
import { EVERYONE, type Outgoing } from "./frame.ts";
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
/** Packet sizes that clients are told of: every host takes 576 bytes (RFC 791), and 1500 go unsaid. */
const MTU = { least: 576, usual: 1500 } as const;

const KINDS: ReadonlyMap<number, Ask["kind"]> = new Map([
  [MESSAGE.discover, "discover"],
  [MESSAGE.request, "request"],
  [MESSAGE.inform, "inform"],
  [MESSAGE.decline, "decline"],
  [MESSAGE.release, "release"],
]);

/** What the router is asked of a message that came from the link itself; null for nothing. */
export function askKind(message: DhcpMessage): Ask["kind"] | null {
  // Through a relay (RFC 1542): our links have none.
  if (message.giaddr !== NO_ADDRESS) return null;
  return KINDS.get(message.type) ?? null;
}

/** The address that a client names as its own, or wishes for; "" for none (RFC 2131 4.3). */
export function wantedAddress(message: DhcpMessage): string {
  const wanted = addressOf(message, OPTION.requestedAddress) ?? message.ciaddr;
  return wanted === NO_ADDRESS ? "" : wanted;
}

/** The server that a client chose, or null where it names none. */
export function chosenServer(message: DhcpMessage): string | null {
  return addressOf(message, OPTION.serverId);
}

/** What a client is given: its lease, and the largest packet of its link in bytes; null: not known. */
export interface Given {
  readonly lease: Told;
  readonly mtu: number | null;
}

/**
 * The answer to a client that has, or is given, this lease; null when it is to get none (RFC 2131
 * 4.3). A request for another address is refused, so that the client asks anew at once.
 */
export function dhcpReply(message: DhcpMessage, what: Given): DhcpReply | null {
  const { lease } = what;
  const server = chosenServer(message);
  switch (message.type) {
    case MESSAGE.discover:
      return given(message, what, MESSAGE.offer);
    case MESSAGE.inform:
      // RFC 2131 4.3.5: no address and no lease time.
      return {
        type: MESSAGE.ack,
        request: message,
        yiaddr: NO_ADDRESS,
        options: [serverId(lease), ...settings(message, what)],
      };
    case MESSAGE.request: {
      // The client chose the offer of another server.
      if (server !== null && server !== lease.DNSIP) return null;
      const wanted = wantedAddress(message);
      if (wanted === lease.IP) return given(message, what, MESSAGE.ack);
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
 * An answer on its way (RFC 2131 4.1): to the client's address where it has one or can hear the new
 * one, else to everyone on the link; from the address that clients know the router by.
 */
export function outgoing(reply: DhcpReply, lease: Told): Outgoing {
  const { request, type } = reply;
  const own = request.ciaddr === NO_ADDRESS ? reply.yiaddr : request.ciaddr;
  const everyone = type === MESSAGE.nak || (request.ciaddr === NO_ADDRESS && request.broadcast);
  return {
    message: encodeDhcp(reply),
    source: lease.DNSIP,
    ...(everyone ? EVERYONE : { address: own, mac: request.mac }),
  };
}

function given(
  message: DhcpMessage,
  what: Given,
  type: typeof MESSAGE.offer | typeof MESSAGE.ack,
): DhcpReply {
  const { lease } = what;
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
      ...settings(message, what),
    ],
  };
}

function serverId(lease: Told): readonly [number, Uint8Array] {
  return [OPTION.serverId, addressBytes(lease.DNSIP)];
}

function settings(
  message: DhcpMessage,
  { lease, mtu }: Given,
): readonly (readonly [number, Uint8Array])[] {
  const asked = message.options.get(OPTION.parameterList);
  const small = mtu !== null && mtu >= MTU.least && mtu < MTU.usual;
  const time = Uint8Array.from(lease.ntp.flatMap((address) => [...addressBytes(address)]));
  const broadcast = formatIpv4((parseIpv4(lease.IP) ?? 0) + 1);
  return [
    [OPTION.mask, addressBytes(MASK)],
    [OPTION.router, addressBytes(lease.RouterIP)],
    [OPTION.dns, addressBytes(lease.DNSIP)],
    [OPTION.broadcast, addressBytes(broadcast)],
    ...(small && asked?.includes(OPTION.mtu) ? [[OPTION.mtu, shortBytes(mtu)] as const] : []),
    ...(time.length > 0 && asked?.includes(OPTION.ntp) ? [[OPTION.ntp, time] as const] : []),
    ...nameOptions(message, lease.name),
    ...clientId(message),
  ];
}

/** RFC 6842 3: the client's identifier goes back to it. */
function clientId(message: DhcpMessage): readonly (readonly [number, Uint8Array])[] {
  const id = message.options.get(OPTION.clientId);
  return id === undefined || id.length > 255 ? [] : [[OPTION.clientId, id]];
}

function addressOf(message: DhcpMessage, code: number): string | null {
  const value = message.options.get(code);
  if (value?.length !== 4) return null;
  return formatIpv4(new DataView(value.buffer, value.byteOffset, 4).getUint32(0));
}
