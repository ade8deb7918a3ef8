import type { AddressEntry } from "../../../core/kernel/inspection.ts";
import type { AddressFact } from "../../../core/kernel/facts.ts";
import type { LinkBytes } from "../../../core/kernel/host.ts";
import {
  ADDRESS_DEPRECATED,
  ADDRESS_FLAGS,
  ADDRESS_OURS,
  ADDRESS_PERMANENT,
  ADDRESS_SECONDARY,
  AF,
  BODY,
  BRIDGE_PORT,
  IFA,
  IFF,
  IFLA,
  LINK_FLAGS,
  LINK_TYPES,
  OPERSTATES,
  SCOPES,
  VXLAN,
} from "./constants.ts";
import {
  AttributePlaces,
  type Attributes,
  attributesOf,
  eachAttribute,
  numberOf,
  textOf,
} from "../message.ts";
import { addressText, macText } from "./values.ts";

/** Links and addresses in the form of `ip -j address show`. */

/** Kinds of links whose link-layer address is an IP address. */
const TUNNELS: readonly string[] = ["ipip", "sit", "gre", "tunnel6", "gre6"];

/** A link of the kernel. */
export interface RtLink {
  readonly index: number;
  readonly name: string;
  readonly type: number;
  readonly flags: number;
  readonly attributes: Attributes;
}

/** One of a link's addresses, with the link's index. */
export interface RtAddress {
  readonly index: number;
  readonly entry: AddressEntry["addr_info"][number];
  /** Set by Sluice. */
  readonly ours: boolean;
}

/** Decodes the payload of a link message; null for an invalid one. */
export function readLink(payload: Uint8Array): RtLink | null {
  if (payload.length < BODY.link) return null;
  const view = new DataView(payload.buffer, payload.byteOffset, payload.byteLength);
  // A link outlives the part that it came in, which the next one overwrites.
  const attributes = attributesOf(payload.slice(), BODY.link);
  const name = textOf(attributes[IFLA.name]);
  if (name === null) return null;
  return {
    index: view.getInt32(4, true),
    name,
    type: view.getUint16(2, true),
    flags: view.getUint32(8, true),
    attributes,
  };
}

/** What ip(8) calls the kind of a link: `ether`, `loopback`, … */
export function linkType({ type }: RtLink): string {
  return LINK_TYPES[type] ?? `[${type}]`;
}

/** Names of a link's flags. */
export function linkFlags({ flags }: RtLink): readonly string[] {
  const silent = (flags & IFF.up) !== 0 && (flags & IFF.running) === 0;
  const known = LINK_FLAGS.reduce((all, [, bit]) => all | bit, IFF.running as number);
  const rest = (flags & ~known) >>> 0;
  return [
    ...(silent ? ["NO-CARRIER"] : []),
    ...LINK_FLAGS.filter(([, bit]) => (flags & bit) !== 0).map(([name]) => name),
    ...(rest === 0 ? [] : [rest.toString(16)]),
  ];
}

/** The kind of a virtual link: `veth`, `bridge`, …; null for any other. */
export function linkKind({ attributes }: RtLink): string | null {
  const info = attributes[IFLA.info];
  return info === undefined ? null : textOf(attributesOf(info)[IFLA.infoKind]);
}

/** Number and other end of a VXLAN; null for another link, and for one without such an end. */
export function vxlanOf(link: RtLink): { readonly id: number; readonly remote: string } | null {
  const info = link.attributes[IFLA.info];
  if (info === undefined || linkKind(link) !== "vxlan") return null;
  const data = attributesOf(info)[IFLA.infoData];
  if (data === undefined) return null;
  const fields = attributesOf(data);
  const id = numberOf(fields[VXLAN.id]);
  const bytes = fields[VXLAN.remote];
  const remote = bytes === undefined ? null : addressText(bytes);
  return id === null || remote === null ? null : { id, remote };
}

/** True for an isolated port of a bridge. */
export function isIsolatedPort({ attributes }: RtLink): boolean {
  const info = attributes[IFLA.info];
  if (info === undefined) return false;
  const { [IFLA.infoPortKind]: kind, [IFLA.infoPortData]: data } = attributesOf(info);
  if (data === undefined || textOf(kind) !== "bridge") return false;
  return attributesOf(data)[BRIDGE_PORT.isolated]?.[0] === 1;
}

/** Largest packet of a link in bytes. */
export function linkMtu({ attributes }: RtLink): number {
  return numberOf(attributes[IFLA.mtu]) ?? 0;
}

/** What a link carried, by its counters of 64 bits (struct rtnl_link_stats64); null without them. */
export function linkBytes({ attributes }: RtLink): LinkBytes | null {
  const counters = attributes[IFLA.counters];
  if (counters === undefined || counters.length < 32) return null;
  const view = new DataView(counters.buffer, counters.byteOffset, counters.byteLength);
  // Behind the packets that it received and sent.
  return {
    received: Number(view.getBigUint64(16, true)),
    sent: Number(view.getBigUint64(24, true)),
  };
}

/** How often each link's carrier came up (IFLA_CARRIER_UP_COUNT, since Linux 4.16). */
export function carrierUpCounts(links: readonly RtLink[]): Readonly<Record<string, number>> {
  return Object.fromEntries(links.flatMap(({ name, attributes }) => {
    const times = numberOf(attributes[IFLA.carrierUps]);
    return times === null ? [] : [[name, times]];
  }));
}

/** A link's MAC address; null where it has none. */
export function linkMac(link: RtLink): string | null {
  return linkLayerAddress(link, link.attributes[IFLA.address]);
}

/** The hardware MAC address, where the link uses another; null where it does not. */
export function permanentMac(link: RtLink): string | null {
  const permanent = linkLayerAddress(link, link.attributes[IFLA.permanent]);
  return permanent === linkMac(link) ? null : permanent;
}

function linkLayerAddress(link: RtLink, bytes: Uint8Array | undefined): string | null {
  if (bytes === undefined) return null;
  return (TUNNELS.includes(linkType(link)) ? addressText(bytes) : null) ?? macText(bytes);
}

/** Those of the message that is read. */
const places = new AttributePlaces();

/** Decodes the payload of an address message; null for an invalid one. */
export function readAddress(payload: Uint8Array): RtAddress | null {
  if (payload.length < BODY.address) return null;
  const [family = 0, prefixlen = 0, shortFlags = 0, scope = 0] = payload;
  places.read(payload, BODY.address);
  const local = addressText(places.get(IFA.local) ?? places.get(IFA.address));
  if (local === null || (family !== AF.inet && family !== AF.inet6)) return null;
  const flags = places.number(IFA.flags) ?? shortFlags;
  const peer = addressText(places.get(IFA.address));
  const broadcast = addressText(places.get(IFA.broadcast));
  const anycast = addressText(places.get(IFA.anycast));
  const metric = places.number(IFA.metric);
  const label = textOf(places.get(IFA.label));
  return {
    index: numberAt(payload, 4),
    ours: places.get(IFA.protocol)?.[0] === ADDRESS_OURS,
    entry: {
      family: family === AF.inet ? "inet" : "inet6",
      local,
      ...(peer === null || peer === local ? {} : { address: peer }),
      prefixlen,
      ...(metric === null ? {} : { metric }),
      ...(broadcast === null ? {} : { broadcast }),
      ...(anycast === null ? {} : { anycast }),
      scope: SCOPES[scope] ?? String(scope),
      ...addressFlags(family, flags),
      ...(label === null ? {} : { label }),
      ...lifeTimes(places.get(IFA.lives), flags),
    },
  };
}

/** Four bytes as an unsigned number. */
function numberAt(bytes: Uint8Array, at: number): number {
  return (bytes[at]! | bytes[at + 1]! << 8 | bytes[at + 2]! << 16 | bytes[at + 3]! << 24) >>> 0;
}

/** Nearly all addresses of a router have the same few flags. */
const knownFlags = new Map<number, Readonly<Record<string, unknown>>>();
/** Families and flags that are remembered. */
const MAX_KNOWN_FLAGS = 64;

function addressFlags(family: number, flags: number): Readonly<Record<string, unknown>> {
  const key = flags * 16 + family;
  let known = knownFlags.get(key);
  if (known === undefined) {
    if (knownFlags.size >= MAX_KNOWN_FLAGS) knownFlags.clear();
    knownFlags.set(key, known = namedFlags(family, flags));
  }
  return known;
}

function namedFlags(family: number, flags: number): Readonly<Record<string, unknown>> {
  const named: Record<string, unknown> = {};
  for (const [name, bit] of ADDRESS_FLAGS) {
    if (bit === ADDRESS_PERMANENT) {
      if ((flags & bit) === 0) named["dynamic"] = true;
    } else if ((flags & bit) !== 0) {
      named[bit === ADDRESS_SECONDARY && family === AF.inet6 ? "temporary" : name] = true;
    }
  }
  const rest = (flags & ~ADDRESS_FLAGS.reduce((all, [, bit]) => all | bit, 0)) >>> 0;
  return rest === 0 ? named : { ...named, ifa_flags: rest.toString(16).padStart(2, "0") };
}

/** Lifetimes in seconds; the kernel's order is preferred, valid. */
function lifeTimes(
  lives: Uint8Array | undefined,
  flags: number,
): { readonly valid_life_time?: number; readonly preferred_life_time?: number } {
  const preferred = numberOf(lives);
  const valid = numberOf(lives?.subarray(4));
  if (preferred === null || valid === null) return {};
  const old = (flags & ADDRESS_DEPRECATED) !== 0;
  return { valid_life_time: valid, preferred_life_time: old ? 0 : preferred };
}

/** Addresses as facts, in the order of their links. */
export function addressFacts(
  links: readonly RtLink[],
  addresses: readonly RtAddress[],
): readonly AddressFact[] {
  const byIndex = new Map<number, AddressFact[]>(links.map(({ index }) => [index, []]));
  const names = new Map(links.map(({ index, name }) => [index, name]));
  for (const { index, entry, ours } of addresses) {
    const address = `${entry.local}/${entry.prefixlen}`;
    const link = names.get(index);
    if (link === undefined) continue;
    byIndex.get(index)!.push({ link, address, ...(ours ? { ours } : {}) });
  }
  return [...byIndex.values()].flat();
}

/** Links with their addresses, as `ip -j address show` prints them. */
export function addressEntries(
  links: readonly RtLink[],
  addresses: readonly RtAddress[],
): readonly AddressEntry[] {
  const byIndex = new Map(links.map((link) => [link.index, link]));
  const infos = new Map<number, AddressEntry["addr_info"]>();
  for (const { index, entry } of addresses) {
    const list = infos.get(index);
    if (list === undefined) infos.set(index, [entry]);
    else list.push(entry);
  }
  return links.map((link) => linkEntry(link, { byIndex, addresses: infos.get(link.index) ?? [] }));
}

function linkEntry(
  link: RtLink,
  { byIndex, addresses }: {
    readonly byIndex: ReadonlyMap<number, RtLink>;
    readonly addresses: AddressEntry["addr_info"];
  },
): AddressEntry {
  const { attributes } = link;
  const name = (index: number): string => byIndex.get(index)?.name ?? `if${index}`;
  const lower = numberOf(attributes[IFLA.link]);
  const elsewhere = attributes[IFLA.netns] !== undefined;
  const netns = numberOf(attributes[IFLA.netns]);
  const master = numberOf(attributes[IFLA.master]);
  const qdisc = textOf(attributes[IFLA.qdisc]);
  const state = attributes[IFLA.operstate]?.[0];
  const group = numberOf(attributes[IFLA.group]);
  const queue = numberOf(attributes[IFLA.queue]);
  const mac = linkMac(link);
  const broadcast = linkLayerAddress(link, attributes[IFLA.broadcast]);
  const permanent = permanentMac(link);
  const other = altnames(attributes[IFLA.altnames]);
  const below = lower === null || lower === 0 || elsewhere ? undefined : byIndex.get(lower);
  return {
    ifindex: link.index,
    ...(lower === null
      ? {}
      : lower === 0
      ? { link: null }
      : elsewhere
      ? { link_index: lower }
      : { link: name(lower) }),
    ifname: link.name,
    flags: [
      ...linkFlags(link),
      ...(below !== undefined && (below.flags & IFF.up) === 0 ? ["M-DOWN"] : []),
    ],
    mtu: linkMtu(link),
    qdisc: qdisc ?? "noop",
    ...(master === null ? {} : { master: name(master) }),
    operstate: state === undefined ? "UNKNOWN" : OPERSTATES[state] ?? `${state}`,
    group: group === null || group === 0 ? "default" : String(group),
    ...(queue === null ? {} : { txqlen: queue }),
    link_type: linkType(link),
    ...(mac === null ? {} : { address: mac }),
    ...(broadcast !== null && (link.flags & IFF.pointToPoint) !== 0
      ? { link_pointtopoint: true }
      : {}),
    ...(broadcast === null ? {} : { broadcast }),
    ...(permanent === null ? {} : { permaddr: permanent }),
    ...(netns === null ? {} : { link_netnsid: netns | 0 }),
    ...(other.length === 0 ? {} : { altnames: other }),
    addr_info: addresses,
  };
}

function altnames(list: Uint8Array | undefined): string[] {
  const names: string[] = [];
  if (list === undefined) return names;
  eachAttribute(list, 0, (type, body) => {
    const name = type === IFLA.altname ? textOf(body) : null;
    if (name !== null) names.push(name);
  });
  return names;
}
