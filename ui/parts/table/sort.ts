import type { Column } from "./column.ts";
import { locale } from "../../text/language.ts";

/** The column that a table is sorted by, and whether from its end. */
export interface Sort {
  readonly column: string;
  readonly down: boolean;
}

const collator = new Intl.Collator(locale, { numeric: true, sensitivity: "base" });

/** Reads what {@link sortText} wrote; null for anything that is no column to sort by. */
export function parseSort<T>(text: string | null, columns: readonly Column<T>[]): Sort | null {
  const down = text?.startsWith("-") ?? false;
  const name = down ? text?.slice(1) : text;
  const known = columns.find((column) => column.name === name && column.sort !== undefined);
  return known === undefined ? null : { column: known.name, down };
}

/** A sort as it is kept in the browser: `name`, `-name`. */
export function sortText({ column, down }: Sort): string {
  return `${down ? "-" : ""}${column}`;
}

/** What a press on a heading asks for: that column, and its other way where it is the one already. */
export function sortBy(sort: Sort | null, column: string): Sort {
  return { column, down: sort?.column === column && !sort.down };
}

/** A row with what it is sorted by, worked out once rather than at every comparison. */
interface Keyed<T> {
  readonly item: T;
  readonly first: boolean;
  readonly empty: boolean;
  readonly by: number;
  readonly name: number;
  readonly key: string;
}

/**
 * Places of texts in the order of people, by column. Comparing texts that way takes most of the time of
 * a sort, so a table keeps what it found: texts that are known are compared no more.
 */
export class Ranks {
  readonly #known = new Map<string, ReadonlyMap<string, number>>();

  /** Numbers that sort as the values of a column do. */
  of(column: string, values: readonly (string | number)[]): readonly number[] {
    if (values.every((value) => typeof value === "number" || value === "")) {
      return values.map((value) => value === "" ? 0 : value as number);
    }
    const texts = values.map(String);
    const known = this.#known.get(column);
    const ranks = known !== undefined && texts.every((text) => known.has(text))
      ? known
      : ranksOf(texts);
    this.#known.set(column, ranks);
    return texts.map((text) => ranks.get(text)!);
  }
}

/** The place of each text; texts that are equal to people have the same. */
function ranksOf(texts: readonly string[]): ReadonlyMap<string, number> {
  const ranks = new Map<string, number>();
  let last: string | null = null, rank = 0;
  for (const text of [...new Set(texts)].sort(collator.compare)) {
    if (last !== null && collator.compare(last, text) !== 0) rank++;
    ranks.set(text, rank);
    last = text;
  }
  return ranks;
}

/** How rows are sorted beside the columns. */
export interface SortRules<T> {
  readonly columns: readonly Column<T>[];
  readonly sort: Sort | null;
  readonly keyOf: (item: T) => string;
  /** Rows that are on top whatever the sort is. */
  readonly first?: ((item: T) => boolean) | undefined;
}

/**
 * Sorts: those that come first anyway, then by the column; equal rows go by the first column that can
 * be sorted, then by key. Without a sort the order stays as it is given. `ranks` of the same table make
 * the next sort cheaper.
 */
export function sortRows<T>(
  rows: readonly T[],
  rules: SortRules<T>,
  ranks = new Ranks(),
): readonly T[] {
  const { columns, sort, keyOf, first = () => false } = rules;
  const by = columns.find(({ name }) => name === sort?.column);
  if (by?.sort === undefined) return rows.toSorted((a, b) => Number(first(b)) - Number(first(a)));
  const name = columns.find((column) => column.sort !== undefined) ?? by;
  const values = rows.map(by.sort);
  const places = ranks.of(by.name, values);
  const names = name === by ? places : ranks.of(name.name, rows.map(name.sort!));
  const sign = sort?.down ? -1 : 1;
  return rows.map((item, at): Keyed<T> => ({
    item,
    first: first(item),
    empty: values[at] === "",
    by: places[at]!,
    name: names[at]!,
    key: keyOf(item),
  })).sort((a, b) =>
    Number(b.first) - Number(a.first) ||
    Number(a.empty) - Number(b.empty) ||
    sign * compare(a.by, b.by) ||
    compare(a.name, b.name) ||
    (a.key < b.key ? -1 : 1)
  ).map(({ item }) => item);
}

function compare(a: number, b: number): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

/**
 * The order to show while the world changes: rows stay where they are, new ones come last, and
 * `moved` tells how many would go elsewhere if it were sorted again.
 */
export function stableOrder(
  shown: readonly string[],
  wanted: readonly string[],
): { readonly order: readonly string[]; readonly moved: number } {
  const exists = new Set(wanted);
  const kept = shown.filter((key) => exists.has(key));
  const known = new Set(kept);
  const order = [...kept, ...wanted.filter((key) => !known.has(key))];
  const moved = order.filter((key, index) => wanted[index] !== key).length;
  return { order, moved };
}
