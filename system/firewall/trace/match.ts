import { type Address, formatAddress, parseAddress } from "../../core/net/net.ts";
import type { Element, Field, Match, Packet, Table } from "../../core/kernel/ruleset.ts";
import { findElement, findSet, type Key } from "./lookup.ts";
import { keyInterval } from "./key_interval.ts";

/** A packet on its way through the hooks, with its addresses parsed once. */
export interface PacketView {
  readonly packet: Packet;
  readonly source: Address | null;
  readonly destination: Address | null;
  /** Where it was sent before a translation. */
  readonly original: Address | null;
  readonly translated: boolean;
  /** Keys that were joined already: many rules ask for the same fields. */
  readonly keys: Map<readonly Field[], Key | null>;
}

/** Takes a packet in; addresses that are none match nothing. */
export function viewPacket(packet: Packet): PacketView {
  const destination = parseAddress(packet.destination);
  return {
    packet,
    source: parseAddress(packet.source),
    destination,
    original: destination,
    translated: false,
    keys: new Map(),
  };
}

function v4(address: Address | null): string | null {
  return address?.family === 4 ? formatAddress(address) : null;
}

function v6(address: Address | null): string | null {
  return address?.family === 6 ? formatAddress(address) : null;
}

/** The canonical text of a field, or null when the packet has none: the rule then does not hold. */
function fieldOf(seen: PacketView, field: Field): string | null {
  const { packet, source, destination } = seen;
  const six = source?.family === 6;
  const pinged = packet.protocol === "icmp";
  switch (field) {
    case "iifname":
      return packet.iif ?? "";
    case "oifname":
      return packet.oif ?? "";
    case "ip saddr":
      return v4(source);
    case "ip daddr":
      return v4(destination);
    case "ip6 saddr":
      return v6(source);
    case "ip6 daddr":
      return v6(destination);
    case "ether saddr":
      return packet.mac?.toLowerCase() ?? null;
    case "meta l4proto":
      return pinged && six ? "ipv6-icmp" : packet.protocol;
    case "th sport":
      return pinged || packet.sport === undefined ? null : String(packet.sport);
    case "th dport":
      return pinged || packet.dport === undefined ? null : String(packet.dport);
    case "icmp type":
      return pinged && !six ? "8" : null; // RFC 792: echo
    case "icmpv6 type":
      return pinged && six ? "128" : null; // RFC 4443 4.1: echo request
    case "meta nfproto":
      return source === null ? null : six ? "ipv6" : "ipv4";
    case "ct state":
      return packet.state ?? "new";
    case "ct status":
      return seen.translated ? "dnat" : "";
    case "ct mark":
      return "0";
    case "ct original ip daddr":
      return v4(seen.original);
    case "ct reply ip daddr":
      // Where nothing is translated yet, as before any hook: the sender itself.
      return v4(source);
    case "fib daddr type":
      return addressType(packet, destination);
  }
}

/** What the kernel's routes say of a destination, as far as rules ask. */
function addressType(packet: Packet, destination: Address | null): string {
  if (destination?.family === 4) {
    if (destination.value === 0xffffffffn) return "broadcast";
    if (destination.value >> 28n === 0xen) return "multicast"; // RFC 1112 4
  }
  if (packet.broadcast) return "broadcast";
  return packet.oif === null ? "local" : "unicast";
}

function inPrefix6(address: Address, text: string): boolean {
  const [base = "", prefix = "128"] = text.split("/");
  const network = parseAddress(base);
  if (network?.family !== 6) return false;
  const shift = 128n - BigInt(prefix);
  return address.value >> shift === network.value >> shift;
}

function literal(seen: PacketView, field: Field, value: string, text: string): boolean {
  switch (field) {
    case "iifname":
    case "oifname":
      return text.endsWith("*") ? value.startsWith(text.slice(0, -1)) : value === text;
    case "ip saddr":
    case "ip daddr":
    case "ct original ip daddr":
    case "ct reply ip daddr":
    case "th sport":
    case "th dport": {
      const type = field.startsWith("th") ? "inet_service" : "ipv4_addr";
      const range = keyInterval(type, text), point = keyInterval(type, value)?.[0];
      return range !== null && point !== undefined && point >= range[0] && point <= range[1];
    }
    case "ip6 saddr":
      return seen.source !== null && inPrefix6(seen.source, text);
    case "ip6 daddr":
      return seen.destination !== null && inPrefix6(seen.destination, text);
    default:
      return value === text;
  }
}

function joinedKey(seen: PacketView, fields: readonly Field[]): Key | null {
  const parts: string[] = [];
  for (const field of fields) {
    const value = fieldOf(seen, field);
    if (value === null) return null;
    parts.push(value);
  }
  return { parts, text: parts.join(" . ") };
}

/** The joined fields as a key; null when the packet lacks one of them. */
function keyOf(seen: PacketView, fields: readonly Field[]): Key | null {
  let key = seen.keys.get(fields);
  if (key === undefined) seen.keys.set(fields, key = joinedKey(seen, fields));
  return key;
}

/** The element of a set or map that the fields hit. */
export function findHit(
  seen: PacketView,
  table: Table,
  name: string,
  fields: readonly Field[],
): Element | undefined {
  const set = findSet(table, name);
  const key = keyOf(seen, fields);
  return set && key ? findElement(set, key) : undefined;
}

/** Whether one condition of a rule holds. A field that the packet lacks fails it, negated or not. */
export function matches(seen: PacketView, table: Table, match: Match): boolean {
  const not = match.not ?? false;
  if (match.kind === "in") {
    const key = keyOf(seen, match.fields);
    const set = findSet(table, match.set);
    if (!key || !set) return false;
    return (findElement(set, key) !== undefined) !== not;
  }
  const value = fieldOf(seen, match.field);
  if (value === null) return false;
  return match.values.some((text) => literal(seen, match.field, value, text)) !== not;
}
