import type { Element, NftSet, Ruleset, Table } from "../core/ruleset.ts";
import { diffElements } from "./diff.ts";
import { mergeNetworks } from "./sets.ts";

/** Sets whose elements take something away; all others give. */
const RESTRICTIVE = new Set(["api_block", "quarantined", "supernetworks", "drop_private_rfc1918"]);

/** True for a set whose elements take something away. */
export function isRestrictive(set: string): boolean {
  return RESTRICTIVE.has(set);
}

function union(a: NftSet, b: NftSet): NftSet {
  const all = new Map<string, Element>([...a.elements, ...b.elements]);
  if (!a.interval || a.key.length !== 1) return { ...a, elements: all };
  const kept = new Set(mergeNetworks([...all.keys()]));
  return { ...a, elements: new Map([...all].filter(([key]) => kept.has(key))) };
}

function narrowSet(before: NftSet, after: NftSet | undefined): NftSet {
  const restrictive = RESTRICTIVE.has(before.name);
  if (after === undefined) {
    return restrictive || before.elements.size === 0 ? before : { ...before, elements: new Map() };
  }
  const { gone, come } = diffElements(before, after);
  if (restrictive) return come.length === 0 ? before : union(before, after);
  if (gone.length === 0) return before;
  const elements = new Map(before.elements);
  for (const element of gone) elements.delete(element.key.join(" . "));
  return { ...before, elements };
}

/**
 * A ruleset between two that allows nothing which either of them forbids: the first with everything
 * taken away that the second takes away. The first itself when the second only gives.
 */
export function narrow(before: Ruleset, after: Ruleset): Ruleset {
  let changed = false;
  const tables = before.tables.map((table): Table => {
    const other = after.tables.find((one) =>
      one.family === table.family && one.name === table.name
    );
    if (!other || other === table) return table;
    const next = new Map(other.sets.map((set) => [set.name, set]));
    const sets = table.sets.map((set) => narrowSet(set, next.get(set.name)));
    if (sets.every((set, i) => set === table.sets[i])) return table;
    changed = true;
    return { ...table, sets };
  });
  return changed ? { tables } : before;
}

/** Whose running connections must be judged again after a change. */
export interface Losses {
  /** Addresses of devices that lost something. */
  readonly addresses: readonly string[];
  /** The router closed something of its own, or a link changed its side: everyone is concerned. */
  readonly everyone: boolean;
}

const EVERYONE = new Set([
  "lan_tcp_accept",
  "wan_tcp_accept",
  "uplink_interfaces",
  "lan_interfaces",
  "ping_rules",
]);

/** What the second ruleset takes away from the first. */
export function losses(before: Ruleset, after: Ruleset): Losses {
  const addresses = new Set<string>();
  let everyone = false;
  const lose = (old: NftSet, set: NftSet): void => {
    const { gone, come } = diffElements(old, set);
    const lost = RESTRICTIVE.has(set.name) ? come : gone;
    if (lost.length === 0) return;
    if (EVERYONE.has(set.name)) everyone = true;
    if (set.interval || set.key[0] !== "ipv4_addr") return;
    for (const element of lost) addresses.add(element.key[0]!);
  };
  for (const table of before.tables) {
    const other = after.tables.find((one) =>
      one.family === table.family && one.name === table.name
    );
    if (other === table) continue;
    const next = new Map(other?.sets.map((set) => [set.name, set]));
    for (const set of table.sets) {
      const after = next.get(set.name);
      next.delete(set.name);
      if (after !== set) lose(set, after ?? { ...set, elements: new Map() });
    }
    for (const set of next.values()) lose({ ...set, elements: new Map() }, set);
  }
  return { addresses: [...addresses], everyone };
}
