import type { Element, NftSet, Ruleset, Table } from "../../core/kernel/ruleset.ts";
import { POLICIES } from "../../devices/policies.ts";
import { mergeNetworks, parseRange4 } from "../../core/net/net.ts";
import { diffElements } from "../../core/kernel/nft/diff.ts";
import { BLOCK_CHAINS } from "./block_sets.ts";
import { baseName } from "./regions.ts";

/** Sets whose elements take something away; all others give. */
const RESTRICTIVE = new Set([
  ...POLICIES.flatMap(({ kind, devices }) =>
    kind === "restriction" && devices !== null ? [devices.name] : []
  ),
  "outward_interfaces",
  "supernetworks",
  "drop_private_rfc1918",
  ...Object.keys(BLOCK_CHAINS),
]);

/** True for a set whose elements take something away. */
export function isRestrictive(set: string): boolean {
  return RESTRICTIVE.has(baseName(set));
}

/** Everything in one or the other, as far as one set takes it. */
function union(a: NftSet, b: NftSet): NftSet {
  // Which parts of two rules overlap is not worked out here: what was blocked stays so, and nothing
  // that a new block takes away was given to an address before its link moved.
  if (a.interval && a.key.length > 1) return a;
  const all = new Map<string, Element>([...a.elements, ...b.elements]);
  if (!a.interval) return { ...a, elements: all };
  const kept = new Set(mergeNetworks([...all.keys()]));
  return { ...a, elements: new Map([...all].filter(([key]) => kept.has(key))) };
}

/** True for a map that leads connections elsewhere. */
function isForward(set: NftSet): boolean {
  return set.value !== undefined && set.value !== "verdict";
}

function narrowSet(before: NftSet, after: NftSet | undefined): NftSet {
  const restrictive = isRestrictive(before.name);
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
export function intermediateRuleset(before: Ruleset, after: Ruleset): Ruleset {
  let changed = false;
  const tables = before.tables.map((table): Table => {
    const other = after.tables.find((one) =>
      one.family === table.family && one.name === table.name
    );
    if (!other || other === table) return table;
    const next = new Map(other.sets.map((set) => [set.name, set]));
    // Where one forward goes, a less special one would lead its port elsewhere meanwhile.
    const led = table.sets.some((set) =>
      isForward(set) && narrowSet(set, next.get(set.name)) !== set
    );
    const sets = table.sets.map((set) =>
      narrowSet(set, led && isForward(set) ? undefined : next.get(set.name))
    );
    if (sets.every((set, i) => set === table.sets[i])) return table;
    changed = true;
    return { ...table, sets };
  });
  return changed ? { tables } : before;
}

/** Whose running connections must be judged again after a change. */
export interface RevokedAccess {
  /** Addresses of devices that lost something. */
  readonly addresses: readonly string[];
  /** The router closed something of its own, or a link changed its side: everyone is concerned. */
  readonly everyone: boolean;
}

const EVERYONE = new Set([
  "lan_tcp_accept",
  "wan_tcp_accept",
  "vpn_udp_accept",
  "uplink_interfaces",
  "lan_interfaces",
  "ping_rules",
]);

/** A single address that every connection concerned has on one side; null when there is none. */
function hostOf(element: Element, set: NftSet): string | null {
  const { value } = element;
  // A forward's connections end at the machine that it leads to.
  if (value !== undefined && !("kind" in value)) return value[0] ?? null;
  const host = element.key.find((part, i) =>
    set.key[i] === "ipv4_addr" && parseRange4(part)?.prefix === 32
  );
  return host ?? null;
}

/** What the second ruleset takes away from the first. */
export function revokedAccess(before: Ruleset, after: Ruleset): RevokedAccess {
  const addresses = new Set<string>();
  let everyone = false;
  const lose = (old: NftSet, set: NftSet): void => {
    const { gone, come } = diffElements(old, set);
    const lost = isRestrictive(set.name) ? come : gone;
    if (lost.length === 0) return;
    if (EVERYONE.has(set.name)) everyone = true;
    for (const element of lost) {
      const host = hostOf(element, set);
      if (host !== null) addresses.add(host);
      else if (set.key.includes("ipv4_addr")) everyone = true;
    }
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
