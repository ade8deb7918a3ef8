/** Rows of a long table that are drawn: from the first to before the last. */
export interface RowRange {
  readonly from: number;
  readonly to: number;
}

/** Rows of a table that is drawn whole at once. */
const SHORT_ROWS = 40;
/** Rows of a table that is drawn whole in the end. */
export const MAX_WHOLE_ROWS = 200;
/** Rows beyond the screen that are drawn of a longer one, so that a scroll or a key meets no gap. */
const OVERSCAN_ROWS = 12;
/** Rows that are added at once beyond the screen, while there is nothing else to do. */
const WIDENING_ROWS = 8;
/** The range moves by so many rows at once, so that not each turn of the wheel draws. */
const STEP = 4;

/** The rows of a table on the screen, or all of a short one, by where its first row is; all measures in pixels. */
export function screenRows(
  view: {
    readonly total: number;
    /** Where the first row begins; negative once it is scrolled off. */
    readonly top: number;
    readonly screen: number;
    readonly rowHeight: number;
  },
): RowRange {
  const { total, top, screen, rowHeight } = view;
  if (total <= SHORT_ROWS) return { from: 0, to: total };
  const step = (row: number, round: (n: number) => number) => round(row / STEP) * STEP;
  const from = Math.max(0, Math.min(step(-top / rowHeight, Math.floor), total - STEP));
  const to = step((screen - top) / rowHeight, Math.ceil);
  return { from, to: Math.min(total, Math.max(from + STEP, to)) };
}

/** The rows to draw: those on the screen, and so many `beyond` on each side, as far as there are any. */
export function rangeAround(near: RowRange, beyond: number, total: number): RowRange {
  // A list that became shorter has not been scrolled yet.
  const from = Math.max(0, Math.min(near.from, total - (near.to - near.from)));
  return {
    from: Math.max(0, from - beyond),
    to: Math.min(total, from + near.to - near.from + beyond),
  };
}

/** How many rows to draw beyond the screen next; the same number once there are enough. */
export function widened(beyond: number, total: number): number {
  return Math.min(beyond + WIDENING_ROWS, total <= MAX_WHOLE_ROWS ? total : OVERSCAN_ROWS);
}

/** A row, or the room of those that are not drawn. */
export type Piece =
  | { readonly row: number }
  | { readonly gap: number; readonly before: number };

/** A table in order: its drawn rows, those that are kept besides, and room for all others. */
export function pieces(total: number, extent: RowRange, kept: readonly number[]): readonly Piece[] {
  const result: Piece[] = [];
  let next = 0;
  const until = (row: number): void => {
    if (row > next) result.push({ gap: row - next, before: row });
    next = Math.max(next, row);
  };
  const drawn = [
    ...kept.filter((row) => row >= 0 && row < Math.min(extent.from, total)),
    ...Array.from({ length: Math.max(0, extent.to - extent.from) }, (_, at) => extent.from + at),
    ...kept.filter((row) => row >= extent.to && row < total),
  ].sort((a, b) => a - b);
  for (const row of drawn) {
    if (row < next || row >= total) continue;
    until(row);
    result.push({ row });
    next = row + 1;
  }
  until(total);
  return result;
}
