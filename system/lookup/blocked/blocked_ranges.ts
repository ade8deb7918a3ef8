import { type BlockedRanges, type BlockSource } from "../../core/kernel/blocked_ranges.ts";
import type { Tables } from "../lookup_rules.ts";
import { countryNumber } from "../tables/data_row.ts";
import { rangesOf, type RangeTable } from "../tables/range_table.ts";
import type { BlockedList } from "./block_list.ts";
import { disjoint, type Owned, prefixGroups, spanOf } from "./layers.ts";

/** What is to be blocked. */
export interface BlockWish {
  readonly countries: readonly string[];
  readonly asns: readonly number[];
  /** By their identifiers. */
  readonly lists: ReadonlyMap<string, BlockedList>;
}

/**
 * The prefixes of countries, networks and lists. An address that several of them block is the country's,
 * else the network's, else the list's.
 */
export function blockedRanges(tables: Tables, wish: BlockWish): BlockedRanges {
  const { countries, networks } = tables;
  const lists = [...wish.lists];
  const sources: readonly BlockSource[] = [
    ...wish.countries.map((key) => ({ type: "country", key }) as const),
    ...wish.asns.map((asn) => ({ type: "asn", key: String(asn) }) as const),
    ...lists.map(([key]) => ({ type: "list", key }) as const),
  ];
  const groups = ([4, 6] as const).flatMap((family) => {
    const side = family === 4 ? "four" : "six";
    const owned = (table: RangeTable | undefined, numbers: readonly number[], from: number) =>
      table === undefined ? [] : ownedRanges(table, family, numbers, from);
    const first = wish.countries.length;
    return prefixGroups(family, [
      owned(countries?.[side], wish.countries.map(countryNumber), 0),
      owned(networks?.[side], wish.asns, first),
      ...lists.flatMap(([, { prefixes, asns }], index) => {
        const owner = first + wish.asns.length + index;
        const own = prefixes.filter((text) => text.includes(":") === (family === 6))
          .map((text): Owned => [...spanOf(text)!, owner]);
        const members = owned(networks?.[side], asns, 0)
          .map(([from, to]): Owned => [from, to, owner]);
        return [disjoint(own), members];
      }),
    ]);
  });
  return { sources, groups };
}

/** Ranges of these numbers, each with the position of its number counted from another. */
function ownedRanges(
  table: RangeTable,
  family: 4 | 6,
  numbers: readonly number[],
  from: number,
): readonly Owned[] {
  const found: Owned[] = [];
  const width = family === 4 ? 1 : 4;
  const positions = new Map(numbers.map((number, index) => [number, from + index]));
  for (const [first, last, number] of rangesOf(table, width, new Set(numbers))) {
    found.push([first, last, positions.get(number)!]);
  }
  return found;
}
