import { onceEach } from "../../core/config/memo.ts";
import { formatIpv4, parseRange4, type Range4 } from "../../core/net/net.ts";
import type { PortInterval } from "../address_schema.ts";
import type { Element, KeyType, NftSet, Verdict } from "../../core/kernel/ruleset.ts";

/**
 * A part of the space of connections: one network per address field, something both must say (a
 * protocol, a link), and ports. Networks nest or are apart, so that regions overlap only where one
 * network holds the other in every field.
 */
export interface HeaderRegion<T> {
  readonly nets: readonly Range4[];
  readonly other: string;
  readonly ports: PortInterval;
  readonly data: T;
}

/** Reads a valid address or network. Throws RangeError for any other text. */
export function net(text: string): Range4 {
  const range = parseRange4(text);
  if (range === null) throw new RangeError(`No network: ${text}`);
  return range;
}

/** The canonical text of a network: an address alone where it is one. */
function netText(range: Range4): string {
  const address = formatIpv4(range.first);
  return range.prefix === 32 ? address : `${address}/${range.prefix}`;
}

/** The canonical text of a port range. */
function portsText([low, high]: PortInterval): string {
  return low === high ? String(low) : `${low}-${high}`;
}

/** Lengths of the prefixes, which regions of one class share. */
function classOf(region: HeaderRegion<unknown>): string {
  return region.nets.map((one) => one.prefix).join(".");
}

/** The region's networks cut to these prefix lengths, as one text. */
function masked(region: HeaderRegion<unknown>, prefixes: readonly number[]): string {
  const parts = region.nets.map((one, i) => {
    const size = 2 ** (32 - prefixes[i]!);
    return one.first - one.first % size;
  });
  return `${parts.join(" ")} ${region.other}`;
}

/** The region's networks and what else it says, as one text. */
const exactly = onceEach((region: HeaderRegion<unknown>) =>
  `${classOf(region)} ${masked(region, region.nets.map((one) => one.prefix))}`
);

/** Port ranges that are apart from each other and not adjacent, lowest first. */
export class PortSet {
  readonly list: PortInterval[] = [];

  /** The first range that ends at or after the port. */
  #from(port: number): number {
    let low = 0, high = this.list.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.list[middle]![1] < port) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  overlaps([low, high]: PortInterval): boolean {
    const found = this.list[this.#from(low)];
    return found !== undefined && found[0] <= high;
  }

  covers([low, high]: PortInterval): boolean {
    const found = this.list[this.#from(low)];
    return found !== undefined && found[0] <= low && found[1] >= high;
  }

  /** Takes a range in; answers the parts of it that were not there yet. */
  add([low, high]: PortInterval): readonly PortInterval[] {
    const fresh: PortInterval[] = [];
    const at = this.#from(low - 1);
    let end = at, from = low, first = low, last = high;
    for (; end < this.list.length && this.list[end]![0] <= high + 1; end++) {
      const [a, b] = this.list[end]!;
      if (a > from) fresh.push([from, Math.min(a - 1, high)]);
      from = Math.max(from, b + 1);
      first = Math.min(first, a);
      last = Math.max(last, b);
    }
    if (from <= high) fresh.push([from, high]);
    this.list.splice(at, end - at, [first, last]);
    return fresh;
  }
}

/**
 * The same regions with ports merged where everything else is equal, for regions that all mean the same.
 * What they cover together stays the same.
 */
export function mergePorts<T>(regions: readonly HeaderRegion<T>[]): readonly HeaderRegion<T>[] {
  const merged = new Map<string, { readonly region: HeaderRegion<T>; readonly spans: PortSet }>();
  for (const region of regions) {
    const key = exactly(region);
    let known = merged.get(key);
    if (!known) merged.set(key, known = { region, spans: new PortSet() });
    known.spans.add(region.ports);
  }
  return [...merged.values()].flatMap(({ region, spans }) =>
    spans.list.map((ports) => ports === region.ports ? region : { ...region, ports })
  );
}

/**
 * The regions with ports cut off that an earlier region with equal networks covers, so that each point
 * that such regions cover belongs to the earliest.
 */
function firstWins<T>(regions: readonly HeaderRegion<T>[]): readonly HeaderRegion<T>[] {
  const taken = new Map<string, PortSet>();
  return regions.flatMap((region) => {
    const key = exactly(region);
    let spans = taken.get(key);
    if (!spans) taken.set(key, spans = new PortSet());
    return spans.add(region.ports).map((ports) => ({ ...region, ports }));
  });
}

interface Class<T> {
  readonly prefixes: readonly number[];
  readonly regions: readonly HeaderRegion<T>[];
}

/** Regions by the lengths of their prefixes, those with the shortest first. */
function classes<T>(regions: readonly HeaderRegion<T>[]): Class<T>[] {
  const all = [...Map.groupBy(regions, classOf).values()].map((list): Class<T> => ({
    prefixes: list[0]!.nets.map((one) => one.prefix),
    regions: list,
  }));
  const sum = (prefixes: readonly number[]): number => prefixes.reduce((a, b) => a + b, 0);
  return all.sort((a, b) => {
    const total = sum(a.prefixes) - sum(b.prefixes);
    if (total !== 0) return total;
    const i = a.prefixes.findIndex((prefix, i) => prefix !== b.prefixes[i]);
    return i < 0 ? 0 : a.prefixes[i]! - b.prefixes[i]!;
  });
}

interface Placed<T> {
  readonly of: Class<T>;
  /** The layer of each region; null for one that was left out. */
  readonly at: readonly (number | null)[];
}

/** What a region meets among the regions of one class that have their place already. */
interface Meeting {
  readonly layers: readonly number[];
  /** Everything in the region is in them. */
  readonly covered: boolean;
}

/** Asks one class, as regions with these prefix lengths would meet it. */
function meetings<T>(
  { of, at }: Placed<T>,
  prefixes: readonly number[],
): (region: HeaderRegion<T>) => Meeting | null {
  const common = of.prefixes.map((prefix, i) => Math.min(prefix, prefixes[i]!));
  const broader = of.prefixes.every((prefix, i) => prefix <= prefixes[i]!);
  const index = new Map<string, { readonly layers: Map<number, PortSet>; readonly all: PortSet }>();
  of.regions.forEach((region, i) => {
    const key = masked(region, common);
    let cell = index.get(key);
    if (!cell) index.set(key, cell = { layers: new Map(), all: new PortSet() });
    if (broader) cell.all.add(region.ports);
    const layer = at[i];
    if (layer === null || layer === undefined) return;
    let spans = cell.layers.get(layer);
    if (!spans) cell.layers.set(layer, spans = new PortSet());
    spans.add(region.ports);
  });
  return (region) => {
    const cell = index.get(masked(region, common));
    if (!cell) return null;
    const layers = [...cell.layers].filter(([, spans]) => spans.overlaps(region.ports))
      .map(([layer]) => layer);
    return { layers, covered: broader && cell.all.covers(region.ports) };
  };
}

function assignLayers<T>(
  classes: readonly Class<T>[],
  choose: (meetings: readonly Meeting[]) => number | null,
): readonly (readonly HeaderRegion<T>[])[] {
  const result: HeaderRegion<T>[][] = [];
  const placed: Placed<T>[] = [];
  for (const one of classes) {
    const finders = placed.map((other) => meetings(other, one.prefixes));
    const at = one.regions.map((region) => {
      const layer = choose(finders.flatMap((ask) => ask(region) ?? []));
      if (layer !== null) (result[layer] ??= []).push(region);
      return layer;
    });
    placed.push({ of: one, at });
  }
  return Array.from(result, (layer) => layer ?? []);
}

/**
 * Divides regions that all mean the same into layers in each of which no two overlap, because the
 * kernel refuses overlaps in one set; a region that lies inside others of one broader kind is left out.
 * Together the layers cover what the regions cover. Time grows with regions times distinct pairs of
 * prefix lengths, not with the square of the regions.
 */
export function layers<T>(
  regions: readonly HeaderRegion<T>[],
): readonly (readonly HeaderRegion<T>[])[] {
  // Broad ones first: a further rule for one machine then moves nothing that is there.
  return assignLayers(classes(mergePorts(regions)), (met) => {
    if (met.some((one) => one.covered)) return null;
    const taken = new Set(met.flatMap((one) => one.layers));
    let layer = 0;
    while (taken.has(layer)) layer++;
    return layer;
  });
}

/**
 * Divides regions into layers in each of which no two overlap, so that looking through the layers in
 * order finds the most special region first, and among equally special ones the earliest of the list.
 */
export function orderedLayers<T>(
  regions: readonly HeaderRegion<T>[],
): readonly (readonly HeaderRegion<T>[])[] {
  return assignLayers(
    classes(firstWins(regions)).reverse(),
    (met) => Math.max(-1, ...met.flatMap((one) => one.layers)) + 1,
  );
}

/** Name of a layer's set: the first has the base name. */
export function layerName(base: string, layer: number): string {
  return layer === 0 ? base : `${base}_${layer + 1}`;
}

/** The name without the number of its layer. */
export function baseName(name: string): string {
  return name.replace(/_\d+$/, "");
}

/** How regions become the elements of sets. */
export interface LayeredShape<T> {
  readonly name: string;
  readonly key: readonly KeyType[];
  readonly value: NonNullable<NftSet["value"]>;
  readonly elements: (region: HeaderRegion<T>) => readonly Element[];
}

/** One interval set for each layer; at least one, so that the first name is always there. */
export function layeredSets<T>(
  layers: readonly (readonly HeaderRegion<T>[])[],
  shape: LayeredShape<T>,
): readonly NftSet[] {
  const all = layers.length > 0 ? layers : [[]];
  return all.map((regions, layer): NftSet => ({
    name: layerName(shape.name, layer),
    key: shape.key,
    value: shape.value,
    interval: true,
    counter: true,
    elements: new Map(
      regions.flatMap((region) => shape.elements(region).map((one) => [one.key.join(" . "), one])),
    ),
  }));
}

/** The key of a region: its networks, what else it says, its ports. */
export function regionKey(region: HeaderRegion<unknown>, ports: boolean): readonly string[] {
  return [
    ...region.nets.map(netText),
    ...(region.other === "" ? [] : [region.other]),
    ...(ports ? [portsText(region.ports)] : []),
  ];
}

/** An element that gives the verdict to everything in the region. */
export function verdictElement(
  verdict: Verdict,
  ports: boolean,
): (region: HeaderRegion<unknown>) => Element[] {
  // Rules that stay give the same regions again, and these the same elements.
  return onceEach((region) => [{ key: regionKey(region, ports), value: verdict }]);
}
