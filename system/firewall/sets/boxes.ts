import { formatIpv4, parseRange4, type Range4 } from "../../core/net/net.ts";
import type { PortSpan } from "../address_schema.ts";

/**
 * A part of the space of connections: one network per address field, something both must say (a
 * protocol, a link), and ports. Networks nest or are apart, so that boxes overlap only where one
 * network holds the other in every field.
 */
export interface Box<T> {
  readonly nets: readonly Range4[];
  readonly other: string;
  readonly ports: PortSpan;
  readonly data: T;
}

/** Reads a valid address or network. Throws RangeError for any other text. */
export function net(text: string): Range4 {
  const range = parseRange4(text);
  if (range === null) throw new RangeError(`No network: ${text}`);
  return range;
}

/** The canonical text of a network: an address alone where it is one. */
export function netText(range: Range4): string {
  const address = formatIpv4(range.first);
  return range.prefix === 32 ? address : `${address}/${range.prefix}`;
}

/** The canonical text of a port range. */
export function portsText([low, high]: PortSpan): string {
  return low === high ? String(low) : `${low}-${high}`;
}

/** Lengths of the prefixes, which boxes of one class share. */
function classOf(box: Box<unknown>): string {
  return box.nets.map((one) => one.prefix).join(".");
}

/** The box's networks cut to these prefix lengths, as one text. */
function masked(box: Box<unknown>, prefixes: readonly number[]): string {
  const parts = box.nets.map((one, i) => {
    const size = 2 ** (32 - prefixes[i]!);
    return one.first - one.first % size;
  });
  return `${parts.join(" ")} ${box.other}`;
}

// Boxes are immutable: the text of one is made once.
const texts = new WeakMap<Box<unknown>, string>();

/** The box's networks and what else it says, as one text. */
function exactly(box: Box<unknown>): string {
  let text = texts.get(box);
  if (text === undefined) {
    text = `${classOf(box)} ${masked(box, box.nets.map((one) => one.prefix))}`;
    texts.set(box, text);
  }
  return text;
}

/** Port ranges that are apart from each other and not adjacent, lowest first. */
export class Spans {
  readonly list: PortSpan[] = [];

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

  overlaps([low, high]: PortSpan): boolean {
    const found = this.list[this.#from(low)];
    return found !== undefined && found[0] <= high;
  }

  covers([low, high]: PortSpan): boolean {
    const found = this.list[this.#from(low)];
    return found !== undefined && found[0] <= low && found[1] >= high;
  }

  /** Takes a range in; answers the parts of it that were not there yet. */
  add([low, high]: PortSpan): readonly PortSpan[] {
    const fresh: PortSpan[] = [];
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
 * The same boxes with ports merged where everything else is equal, for boxes that all mean the same.
 * What they cover together stays the same.
 */
export function mergePorts<T>(boxes: readonly Box<T>[]): readonly Box<T>[] {
  const merged = new Map<string, { readonly box: Box<T>; readonly spans: Spans }>();
  for (const box of boxes) {
    const key = exactly(box);
    let known = merged.get(key);
    if (!known) merged.set(key, known = { box, spans: new Spans() });
    known.spans.add(box.ports);
  }
  return [...merged.values()].flatMap(({ box, spans }) =>
    spans.list.map((ports) => ports === box.ports ? box : { ...box, ports })
  );
}

/**
 * The boxes with ports cut off that an earlier box with equal networks covers, so that each point
 * that such boxes cover belongs to the earliest.
 */
export function firstWins<T>(boxes: readonly Box<T>[]): readonly Box<T>[] {
  const taken = new Map<string, Spans>();
  return boxes.flatMap((box) => {
    const key = exactly(box);
    let spans = taken.get(key);
    if (!spans) taken.set(key, spans = new Spans());
    return spans.add(box.ports).map((ports) => ({ ...box, ports }));
  });
}

interface Class<T> {
  readonly prefixes: readonly number[];
  readonly boxes: readonly Box<T>[];
}

/** Boxes by the lengths of their prefixes, those with the shortest first. */
function classes<T>(boxes: readonly Box<T>[]): Class<T>[] {
  const all = [...Map.groupBy(boxes, classOf).values()].map((list): Class<T> => ({
    prefixes: list[0]!.nets.map((one) => one.prefix),
    boxes: list,
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
  /** The layer of each box; null for one that was left out. */
  readonly at: readonly (number | null)[];
}

/** What a box meets among the boxes of one class that have their place already. */
interface Meeting {
  readonly layers: readonly number[];
  /** Everything in the box is in them. */
  readonly covered: boolean;
}

/** Asks one class, as boxes with these prefix lengths would meet it. */
function meetings<T>(
  { of, at }: Placed<T>,
  prefixes: readonly number[],
): (box: Box<T>) => Meeting | null {
  const common = of.prefixes.map((prefix, i) => Math.min(prefix, prefixes[i]!));
  const broader = of.prefixes.every((prefix, i) => prefix <= prefixes[i]!);
  const index = new Map<string, { readonly layers: Map<number, Spans>; readonly all: Spans }>();
  of.boxes.forEach((box, i) => {
    const key = masked(box, common);
    let cell = index.get(key);
    if (!cell) index.set(key, cell = { layers: new Map(), all: new Spans() });
    if (broader) cell.all.add(box.ports);
    const layer = at[i];
    if (layer === null || layer === undefined) return;
    let spans = cell.layers.get(layer);
    if (!spans) cell.layers.set(layer, spans = new Spans());
    spans.add(box.ports);
  });
  return (box) => {
    const cell = index.get(masked(box, common));
    if (!cell) return null;
    const layers = [...cell.layers].filter(([, spans]) => spans.overlaps(box.ports))
      .map(([layer]) => layer);
    return { layers, covered: broader && cell.all.covers(box.ports) };
  };
}

function place<T>(
  classes: readonly Class<T>[],
  choose: (meetings: readonly Meeting[]) => number | null,
): readonly (readonly Box<T>[])[] {
  const result: Box<T>[][] = [];
  const placed: Placed<T>[] = [];
  for (const one of classes) {
    const asked = placed.map((other) => meetings(other, one.prefixes));
    const at = one.boxes.map((box) => {
      const layer = choose(asked.flatMap((ask) => ask(box) ?? []));
      if (layer !== null) (result[layer] ??= []).push(box);
      return layer;
    });
    placed.push({ of: one, at });
  }
  return Array.from(result, (layer) => layer ?? []);
}

/**
 * Divides boxes that all mean the same into layers in each of which no two overlap, because the
 * kernel refuses overlaps in one set; a box that lies inside others of one broader kind is left out.
 * Together the layers cover what the boxes cover. Time grows with boxes times distinct pairs of
 * prefix lengths, not with the square of the boxes.
 */
export function layers<T>(boxes: readonly Box<T>[]): readonly (readonly Box<T>[])[] {
  // Broad ones first: a further rule for one machine then moves nothing that is there.
  return place(classes(mergePorts(boxes)), (met) => {
    if (met.some((one) => one.covered)) return null;
    const taken = new Set(met.flatMap((one) => one.layers));
    let layer = 0;
    while (taken.has(layer)) layer++;
    return layer;
  });
}

/**
 * Divides boxes into layers in each of which no two overlap, so that looking through the layers in
 * order finds the most special box first, and among equally special ones the earliest of the list.
 */
export function orderedLayers<T>(boxes: readonly Box<T>[]): readonly (readonly Box<T>[])[] {
  return place(
    classes(firstWins(boxes)).reverse(),
    (met) => Math.max(-1, ...met.flatMap((one) => one.layers)) + 1,
  );
}
