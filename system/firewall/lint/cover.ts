import type { PortInterval } from "../address_schema.ts";
import type { Range4 } from "../../core/net/net.ts";

/** What a rule is about: networks, a protocol, and ports. */
export interface Region {
  readonly nets: readonly Range4[];
  readonly protocol: string;
  readonly ports: PortInterval;
}

/** True when every port of the one is a port of the other. */
export function portsWithin([low, high]: PortInterval, [first, last]: PortInterval): boolean {
  return first <= low && last >= high;
}

/** True when both have a port in common. */
export function portsMeet([low, high]: PortInterval, [first, last]: PortInterval): boolean {
  return first <= high && last >= low;
}

/** True when the one network lies in the other. */
export function netWithin(one: Range4, other: Range4): boolean {
  return other.prefix <= one.prefix && other.first === masked(one.first, other.prefix);
}

/** True when both cover exactly the same. */
export function equalRegions(a: Region, b: Region): boolean {
  return a.protocol === b.protocol && a.ports[0] === b.ports[0] && a.ports[1] === b.ports[1] &&
    a.nets.every((one, i) => one.first === b.nets[i]!.first && one.prefix === b.nets[i]!.prefix);
}

function masked(address: number, prefix: number): number {
  return address - address % 2 ** (32 - prefix);
}

function keyOf({ nets, protocol }: Region, prefixes: readonly number[]): string {
  return `${protocol} ${nets.map((one, i) => masked(one.first, prefixes[i]!)).join(" ")}`;
}

/**
 * Finds rules that cover others, by the lengths of their prefixes: time grows with the rules times the
 * distinct lengths, not with the square of the rules.
 */
export class CoverIndex<T> {
  readonly #classes = new Map<
    string,
    { readonly prefixes: readonly number[]; readonly cells: Map<string, [Region, T][]> }
  >();

  constructor(entries: readonly (readonly [Region, T])[]) {
    for (const [region, data] of entries) {
      const prefixes = region.nets.map(({ prefix }) => prefix);
      const name = prefixes.join(".");
      let one = this.#classes.get(name);
      if (!one) this.#classes.set(name, one = { prefixes, cells: new Map() });
      const key = keyOf(region, prefixes);
      const cell = one.cells.get(key);
      if (cell) cell.push([region, data]);
      else one.cells.set(key, [[region, data]]);
    }
  }

  /** The first entry that covers the region whole, and passes `takes`. */
  covering(
    region: Region,
    takes: (data: T, region: Region) => boolean = () => true,
  ): T | undefined {
    for (const { prefixes, cells } of this.#classes.values()) {
      if (prefixes.some((prefix, i) => prefix > region.nets[i]!.prefix)) continue;
      const found = cells.get(keyOf(region, prefixes))?.find(([other, data]) =>
        portsWithin(region.ports, other.ports) && takes(data, other)
      );
      if (found) return found[1];
    }
    return undefined;
  }
}
