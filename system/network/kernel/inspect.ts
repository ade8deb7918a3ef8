import type { Host } from "../../core/kernel/host.ts";
import type { InspectionEntry } from "../../core/kernel/inspection.ts";
import { notFound, Problem } from "../../core/errors/problem.ts";
import type { NftSet, Ruleset, Table } from "../../core/kernel/ruleset.ts";

/** Elements of a set that are listed; a larger set only by its count. */
const MAX_LISTED_ELEMENTS = 2000;

/** Elements of a map that is requested by name. */
const MAX_ELEMENTS = 20_000;

/** A listing in the form of `nft -j`. */
export interface Listing {
  readonly nftables: readonly InspectionEntry[];
}

interface Found {
  readonly table: Table;
  readonly set: NftSet;
}

function findMap(ruleset: Ruleset, name: string): Found | undefined {
  for (const table of ruleset.tables) {
    const set = table.sets.find((one) => one.name === name && one.value !== undefined);
    if (set) return { table, set };
  }
  return undefined;
}

function inspectSet(host: Host, { table, set }: Found): Promise<readonly InspectionEntry[]> {
  return host.inspect({
    kind: "set",
    family: table.family,
    table: table.name,
    name: set.name,
    map: set.value !== undefined,
  });
}

/** One of our maps from the kernel. Throws Problem 404, 413, 502. */
export async function mapListing(host: Host, ruleset: Ruleset, name: string): Promise<Listing> {
  const found = findMap(ruleset, name);
  if (!found) throw notFound(`There is no verdict map ${name}`);
  if (found.set.elements.size > MAX_ELEMENTS) {
    throw new Problem(
      413,
      `The map ${name} has ${found.set.elements.size} elements, more than ${MAX_ELEMENTS}`,
    );
  }
  return { nftables: await inspectSet(host, found) };
}

/**
 * A table as the kernel holds it, its rules with their counters. Sets of ours are listed whole up to
 * {@link LISTED_ELEMENTS}, beyond that by `count`; sets of others without their elements.
 */
export async function tableListing(
  host: Host,
  ruleset: Ruleset,
  asked: {
    readonly family: "inet" | "ip" | "ip6" | "arp" | "bridge" | "netdev";
    readonly name: string;
  },
): Promise<Listing> {
  const entries = await host.inspect({ kind: "table", ...asked });
  const table = ruleset.tables.find(({ family, name }) =>
    family === asked.family && name === asked.name
  );
  if (!table) return { nftables: entries };
  const whole = new Map<string, InspectionEntry>();
  for (const set of table.sets) {
    if (set.elements.size === 0 || set.elements.size > MAX_LISTED_ELEMENTS) continue;
    for (const entry of await inspectSet(host, { table, set })) {
      if (entry["set"] ?? entry["map"]) whole.set(set.name, entry);
    }
  }
  const sizes = new Map(table.sets.map((set) => [set.name, set.elements.size]));
  return {
    nftables: entries.map((entry) => {
      const name = setName(entry);
      if (name === null) return entry;
      const size = sizes.get(name) ?? 0;
      return whole.get(name) ?? (size > 0 ? counted(entry, size) : entry);
    }),
  };
}

function setName(entry: InspectionEntry): string | null {
  const set = entry["set"] ?? entry["map"];
  return typeof set === "object" && set !== null && "name" in set ? String(set.name) : null;
}

function counted(entry: InspectionEntry, count: number): InspectionEntry {
  return Object.fromEntries(
    Object.entries(entry).map(([kind, set]) => [kind, { ...(set as object), count }]),
  );
}
