import { type Address, formatAddress, parseAddress } from "../../core/net/net.ts";
import type { Element, Field, Match, Packet, Table } from "../../core/kernel/ruleset.ts";
import { findElement, findSet } from "./lookup.ts";
import type { Key } from "./interval_index.ts";
import { keyInterval } from "./key_interval.ts";

/** A packet on its way through the hooks, with its addresses parsed once. */
export interface PacketView {
  readonly packet: Packet;
  readonly source: Address | null;
  readonly destination: Address | null;
  /** Where it was sent before a translation. */
  readonly original: Address | null;
  readonly translated: boolean;
  /** Keys that were joined already, by their fields: many rules ask for the same. */
  readonly keys: Map<string, Key | null>;
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
    case "@th,96,24":
      return packet.vni === undefined ? null : String(packet.vni);
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

function literalTest(field: Field, text: string): (seen: PacketView, value: string) => boolean {
  switch (field) {
    case "iifname":
    case "oifname": {
      if (!text.endsWith("*")) return (_, value) => value === text;
      const beginning = text.slice(0, -1);
      return (_, value) => value.startsWith(beginning);
    }
    case "ip saddr":
    case "ip daddr":
    case "ct original ip daddr":
    case "ct reply ip daddr":
    case "th sport":
    case "th dport": {
      const type = field.startsWith("th") ? "inet_service" : "ipv4_addr";
      const range = keyInterval(type, text);
      if (range === null) return () => false;
      return (_, value) => {
        const point = keyInterval(type, value)?.[0];
        return point !== undefined && point >= range[0] && point <= range[1];
      };
    }
    case "ip6 saddr":
      return ({ source }) => source !== null && inPrefix6(source, text);
    case "ip6 daddr":
      return ({ destination }) => destination !== null && inPrefix6(destination, text);
    default:
      return (_, value) => value === text;
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

/** Joins the fields of packets as a key; null when a packet lacks one of them. */
function keyMaker(fields: readonly Field[]): (seen: PacketView) => Key | null {
  const name = fields.join();
  return (seen) => {
    let key = seen.keys.get(name);
    if (key === undefined) seen.keys.set(name, key = joinedKey(seen, fields));
    return key;
  };
}

/** Finds the element of a set or map that the fields of a packet hit. */
export function hitFinder(
  table: Table,
  name: string,
  fields: readonly Field[],
): (seen: PacketView) => Element | undefined {
  const set = findSet(table, name);
  if (set === undefined) return () => undefined;
  const keyOf = keyMaker(fields);
  return (seen) => {
    const key = keyOf(seen);
    return key === null ? undefined : findElement(set, key);
  };
}

/** Whether one condition of a rule holds. A field that the packet lacks fails it, negated or not. */
export function matchTest(table: Table, match: Match): (seen: PacketView) => boolean {
  const not = match.not ?? false;
  if (match.kind === "in") {
    const set = findSet(table, match.set);
    if (set === undefined) return () => false;
    const keyOf = keyMaker(match.fields);
    if (!set.interval) {
      const { elements } = set;
      return (seen) => {
        const key = keyOf(seen);
        return key !== null && elements.has(key.text) !== not;
      };
    }
    return (seen) => {
      const key = keyOf(seen);
      return key !== null && (findElement(set, key) !== undefined) !== not;
    };
  }
  const { field } = match;
  const tests = match.values.map((text) => literalTest(field, text));
  return (seen) => {
    const value = fieldOf(seen, field);
    return value !== null && tests.some((test) => test(seen, value)) !== not;
  };
}
