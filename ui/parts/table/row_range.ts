/** Rows of a long table that are drawn: from the first to before the last. */
export interface RowRange {
  readonly from: number;
  readonly to: number;
}

/** Rows of a table that is always drawn whole. */
export const MAX_WHOLE_ROWS = 200;
/** Rows beyond the screen that are drawn on each side, so that a scroll or a key meets no gap. */
const OVERSCAN_ROWS = 10;
/** The extent moves by so many rows at once, so that not each turn of the wheel draws. */
const STEP = 8;

/** The rows to draw of a table by where its first row is; all measures in pixels. */
export function rowRangeOf(
  view: {
    readonly total: number;
    /** Where the first row begins; negative once it is scrolled off. */
    readonly top: number;
    readonly screen: number;
    readonly rowHeight: number;
  },
): RowRange {
  const { total, top, screen, rowHeight } = view;
  if (total <= MAX_WHOLE_ROWS) return { from: 0, to: total };
  const step = (row: number, round: (n: number) => number) => round(row / STEP) * STEP;
  const first = step(-top / rowHeight - OVERSCAN_ROWS, Math.floor);
  const last = step((screen - top) / rowHeight + OVERSCAN_ROWS, Math.ceil);
  const from = Math.max(0, Math.min(first, total - STEP));
  return { from, to: Math.min(total, Math.max(from + STEP, last)) };
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
