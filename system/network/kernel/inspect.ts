import type { Config } from "../../config.ts";
import type { Host } from "../../core/kernel/host.ts";
import type { InspectionEntry } from "../../core/kernel/inspection.ts";
import { notFound, Problem } from "../../core/errors/problem.ts";
import type { NftSet, Ruleset, Table } from "../../core/kernel/ruleset.ts";
import { CLIENT_MAPS, type MapElement } from "./client_maps.ts";

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

/** What maps are listed from. */
export interface MapSources {
  readonly host: Host;
  readonly ruleset: Ruleset;
  readonly config: Pick<Config, "devices" | "wireguard">;
}

/**
 * One of our maps from the kernel, or one that existing clients list, made of those. Its elements stand
 * without their counters, in the form that such clients read. Throws Problem 404, 413, 502.
 */
export async function mapListing(sources: MapSources, name: string): Promise<Listing> {
  const { host, ruleset, config } = sources;
  const own = findMap(ruleset, name);
  if (own) return { nftables: await wholeMap(host, own) };
  const derived = CLIENT_MAPS.get(name);
  if (!derived) throw notFound(`There is no verdict map ${name}`);
  let head: readonly InspectionEntry[] = [METAINFO];
  const elem = await derived.elements({
    ruleset,
    config,
    async elements(of) {
      const found = findMap(ruleset, of);
      if (!found) return [];
      const entries = await wholeMap(host, found);
      head = entries.filter((entry) => entry["metainfo"] !== undefined);
      return entries.flatMap(elementsOf);
    },
  });
  refuseSize(name, elem.length);
  const { type, map } = derived;
  const shown = { family: "inet", name, table: "filter", type, map };
  return { nftables: [...head, { map: elem.length > 0 ? { ...shown, elem } : shown }] };
}

const METAINFO = { metainfo: { json_schema_version: 1 } };

async function wholeMap(host: Host, found: Found): Promise<readonly InspectionEntry[]> {
  refuseSize(found.set.name, found.set.elements.size);
  return (await inspectSet(host, found)).map(withoutCounters);
}

function refuseSize(name: string, size: number): void {
  if (size <= MAX_ELEMENTS) return;
  throw new Problem(413, `The map ${name} has ${size} elements, more than ${MAX_ELEMENTS}`);
}

/** Elements without what nft says of them beside their key. */
function withoutCounters(entry: InspectionEntry): InspectionEntry {
  const map = entry["map"];
  if (typeof map !== "object" || map === null) return entry;
  const elem = elementsOf(entry).map(([key, value]) => [keyOf(key), value]);
  return { ...entry, map: { ...map, ...(elem.length > 0 ? { elem } : {}) } };
}

function elementsOf(entry: InspectionEntry): readonly MapElement[] {
  const { elem } = (entry["map"] ?? {}) as { readonly elem?: readonly MapElement[] };
  return elem ?? [];
}

function keyOf(key: unknown): unknown {
  const { elem } = key as { readonly elem?: { readonly val: unknown } };
  return typeof key === "object" && key !== null && elem !== undefined ? elem.val : key;
}

/**
 * A table as the kernel holds it, its rules with their counters. Sets of ours are listed whole up to
 * {@link LISTED_ELEMENTS}, beyond that by `count`; sets of others without their elements.
 */
export async function tableListing(
  host: Host,
  ruleset: Ruleset,
  id: {
    readonly family: "inet" | "ip" | "ip6" | "arp" | "bridge" | "netdev";
    readonly name: string;
  },
): Promise<Listing> {
  const entries = await host.inspect({ kind: "table", ...id });
  const table = ruleset.tables.find(({ family, name }) => family === id.family && name === id.name);
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
