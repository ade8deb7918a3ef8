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
  readonly by: string | number;
  readonly name: string | number;
  readonly key: string;
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
 * be sorted, then by key. Without a sort the order stays as it is given.
 */
export function sortRows<T>(rows: readonly T[], rules: SortRules<T>): readonly T[] {
  const { columns, sort, keyOf, first = () => false } = rules;
  const by = columns.find(({ name }) => name === sort?.column)?.sort;
  if (by === undefined) return rows.toSorted((a, b) => Number(first(b)) - Number(first(a)));
  const name = columns.find((column) => column.sort !== undefined)?.sort ?? by;
  const sign = sort?.down ? -1 : 1;
  return rows.map((item): Keyed<T> => ({
    item,
    first: first(item),
    by: by(item),
    name: name(item),
    key: keyOf(item),
  })).sort((a, b) =>
    Number(b.first) - Number(a.first) ||
    emptyLast(a.by, b.by) ||
    sign * compare(a.by, b.by) ||
    compare(a.name, b.name) ||
    (a.key < b.key ? -1 : 1)
  ).map(({ item }) => item);
}

function emptyLast(a: string | number, b: string | number): number {
  return Number(a === "") - Number(b === "");
}

function compare(a: string | number, b: string | number): number {
  if (typeof a === "number" && typeof b === "number") return a === b ? 0 : a < b ? -1 : 1;
  return collator.compare(String(a), String(b));
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
