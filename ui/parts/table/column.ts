import type { ComponentChildren } from "preact";

/** One column of a table of things of one kind. */
export interface Column<T> {
  /** What it is known as, in a remembered sort too. */
  readonly name: string;
  /** Its heading. */
  readonly word: string;
  readonly cell: (item: T) => ComponentChildren;
  /**
   * What it is sorted by; without it the column cannot be sorted. Texts go as people sort names, and
   * those that are empty come last, whichever way is up.
   */
  readonly sort?: (item: T) => string | number;
  /** Its track in the grid of a row, such as `128px`; default a fair share of what is left. */
  readonly width?: string;
  /** A quantity: at the right, in one line. */
  readonly num?: boolean;
  /** It says as much as it must, in several lines. */
  readonly wraps?: boolean;
  /** In the second ink. */
  readonly soft?: boolean;
  /** The width from which it is there: a large desk (1280), or a desk (1024). */
  readonly from?: "large" | "desk";
  /**
   * Its place on a phone: the name, at its right, in the second line, at the right of that, across
   * both at the far right, a line of its own, or none. Default: the first is the name, others a line.
   */
  readonly phone?: "name" | "side" | "sub" | "under" | "end" | "line" | "none";
  /** The word before it in a line of its own on a phone, such as `to`. */
  readonly lead?: string;
}

const TRACK = "minmax(0, 1fr)";
const CHECK = "44px";

/** The grids of a row: on a large desk, on a desk, on a tablet. */
export function tracks<T>(
  columns: readonly Column<T>[],
  checks: boolean,
): Readonly<Record<"--large" | "--desk" | "--tablet", string>> {
  const grid = (shown: (column: Column<T>) => boolean): string =>
    [...(checks ? [CHECK] : []), ...columns.filter(shown).map(({ width }) => width ?? TRACK)]
      .join(" ");
  return {
    "--large": grid(() => true),
    "--desk": grid(({ from }) => from !== "large"),
    "--tablet": grid(({ from }) => from === undefined),
  };
}

/** The classes of the cells of a column, in its heading and in its rows. */
export function classesOf<T>(column: Column<T>, index: number): string {
  const { num, wraps, soft, from, phone = index === 0 ? "name" : "line" } = column;
  return [
    `c-${column.name}`,
    `on-${phone}`,
    num && "num",
    wraps && "wrap",
    soft && "soft",
    from && `from-${from}`,
  ].filter(Boolean).join(" ");
}
