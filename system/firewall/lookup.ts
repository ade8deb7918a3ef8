import { parseIpv4, parseRange4 } from "../core/net.ts";
import type { Element, KeyType, NftSet, Ruleset, Table } from "../core/ruleset.ts";

const setIndex = new WeakMap<Table, ReadonlyMap<string, NftSet>>();

/** A set of the table by name. */
export function findSet(table: Table, name: string): NftSet | undefined {
  let index = setIndex.get(table);
  if (!index) {
    index = new Map(table.sets.map((set) => [set.name, set]));
    setIndex.set(table, index);
  }
  return index.get(name);
}

/** The lowest and highest number of an address, network, port or range; null for other texts. */
export function span(type: KeyType, text: string): readonly [number, number] | null {
  const parse = type === "ipv4_addr" ? parseIpv4 : type === "inet_service" ? port : null;
  if (!parse) return null;
  const range = type === "ipv4_addr" ? parseRange4(text) : null;
  if (range) return [range.first, range.last];
  const [low = "", high = low] = text.split("-");
  const first = parse(low), last = parse(high);
  return first === null || last === null ? null : [first, last];
}

function port(text: string): number | null {
  return /^\d{1,5}$/.test(text) ? Number(text) : null;
}

type Part = string | readonly [number, number];

const parsedSets = new WeakMap<NftSet, readonly { parts: readonly Part[]; element: Element }[]>();

function parsed(set: NftSet): readonly { parts: readonly Part[]; element: Element }[] {
  let list = parsedSets.get(set);
  if (!list) {
    list = [...set.elements.values()].map((element) => ({
      element,
      parts: element.key.map((part, i): Part => span(set.key[i]!, part) ?? part),
    }));
    parsedSets.set(set, list);
  }
  return list;
}

/** A key to look up: its parts and their canonical text. */
export interface Key {
  readonly parts: readonly string[];
  readonly text: string;
}

/** The key of a set with one part. */
export function singleKey(part: string): Key {
  return { parts: [part], text: part };
}

/** The element that holds the key, or undefined. Interval sets are scanned, all others indexed. */
export function findElement(set: NftSet, key: Key): Element | undefined {
  if (!set.interval) return set.elements.get(key.text);
  const numbers = key.parts.map((part, i) => span(set.key[i]!, part)?.[0]);
  const hit = parsed(set).find(({ parts }) =>
    parts.length === key.parts.length && parts.every((part, i) => {
      if (typeof part === "string") return part === key.parts[i];
      const number = numbers[i];
      return number !== undefined && number >= part[0] && number <= part[1];
    })
  );
  return hit?.element;
}

/** Where a device's address is bound: its link, and its card unless it is a VPN peer. */
export interface Binding {
  readonly link: string;
  readonly mac: string | null;
}

const bindingIndex = new WeakMap<NftSet, ReadonlyMap<string, Binding>>();

function bindingsOf(set: NftSet): ReadonlyMap<string, Binding> {
  let index = bindingIndex.get(set);
  if (!index) {
    index = new Map(
      [...set.elements.values()].map(({ key }) => [
        key[0]!,
        { link: key[1]!, mac: key[2] ?? null },
      ]),
    );
    bindingIndex.set(set, index);
  }
  return index;
}

/** The table `inet filter` of a ruleset. */
export function filterTable(ruleset: Ruleset): Table | undefined {
  return ruleset.tables.find((table) => table.family === "inet" && table.name === "filter");
}

/** Where the packet filter expects this address, or undefined when it is no device's. */
export function binding(ruleset: Ruleset, address: string): Binding | undefined {
  const table = filterTable(ruleset);
  if (!table) return undefined;
  for (const name of ["ethernet_filter", "wireguard_filter"]) {
    const set = findSet(table, name);
    const found = set && bindingsOf(set).get(address);
    if (found) return found;
  }
  return undefined;
}
