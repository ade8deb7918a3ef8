import { onceEach } from "../../core/config/memo.ts";
import { inRange4, parseIpv4, parseRange4, type Range4 } from "../../core/net/net.ts";
import type { Element, NftSet, Ruleset, Table } from "../../core/kernel/ruleset.ts";
import { findInIntervals, indexIntervals, type Key } from "./interval_index.ts";

const setsByName = onceEach((table: Table): ReadonlyMap<string, NftSet> =>
  new Map(table.sets.map((set) => [set.name, set]))
);

/** A set of the table by name. */
export function findSet(table: Table, name: string): NftSet | undefined {
  return setsByName(table).get(name);
}

/** The key of a set with one part. */
export function singleKey(part: string): Key {
  return { parts: [part], text: part };
}

const intervals = onceEach(indexIntervals);

/** The element that holds the key, or undefined. */
export function findElement(set: NftSet, key: Key): Element | undefined {
  if (!set.interval) return set.elements.get(key.text);
  return findInIntervals(set, intervals(set), key);
}

/** Where a device's address is bound: its interface, and its MAC address unless it is a VPN peer. */
export interface AddressBinding {
  readonly link: string;
  readonly mac: string | null;
}

const bindingsOf = onceEach((set: NftSet): ReadonlyMap<string, AddressBinding> =>
  new Map(
    [...set.elements.values()].map(({ key }) => [
      key[0]!,
      { link: key[1]!, mac: key[2] ?? null },
    ]),
  )
);

/** The table `inet filter` of a ruleset. */
export function filterTable(ruleset: Ruleset): Table | undefined {
  return ruleset.tables.find((table) => table.family === "inet" && table.name === "filter");
}

/** Where the packet filter expects this address, or undefined when it is no device's. */
export function addressBinding(ruleset: Ruleset, address: string): AddressBinding | undefined {
  const table = filterTable(ruleset);
  if (!table) return undefined;
  for (const name of ["ethernet_filter", "wireguard_filter"]) {
    const set = findSet(table, name);
    const found = set && bindingsOf(set).get(address);
    if (found) return found;
  }
  return undefined;
}

interface AttachedNetwork {
  readonly range: Range4;
  readonly link: string;
}

/** The networks of custom interfaces, the smallest first; one of every address says nothing. */
const attachedNetworks = onceEach((set: NftSet): readonly AttachedNetwork[] =>
  [...set.elements.values()].flatMap(({ key }) => {
    const range = parseRange4(key[1] ?? "");
    return range && range.prefix > 0 ? [{ range, link: key[0]! }] : [];
  }).sort((a, b) => b.range.prefix - a.range.prefix)
);

/** The link of a device's address, or of the custom interface whose network it is in. */
export function linkOf(ruleset: Ruleset, address: string): string | undefined {
  const bound = addressBinding(ruleset, address);
  if (bound) return bound.link;
  const table = filterTable(ruleset);
  const set = table && findSet(table, "custom_interfaces");
  const value = parseIpv4(address);
  if (!set || value === null) return undefined;
  return attachedNetworks(set).find(({ range }) => inRange4(range, value))?.link;
}
