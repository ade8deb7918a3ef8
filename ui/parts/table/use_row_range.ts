import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { MAX_WHOLE_ROWS, type Piece, pieces, type RowRange, rowRangeOf } from "./row_range.ts";

/** Pixels of a row before any was measured. */
const DEFAULT_ROW_PX = 37;

/** What of a table is drawn, and the way to a row that may not be. */
export interface Drawn {
  readonly pieces: readonly Piece[];
  /** Pixels of a row, for the room of those that are not drawn. */
  readonly rowHeight: number;
  /** Puts the focus on a row, which is drawn first where it is not. */
  readonly focusRow: (row: number) => void;
}

/**
 * Draws of a long table what is near the screen, and the row that has the focus. Rows are found by
 * `data-key`, what of them takes the focus by `data-row`.
 */
export function useRowRange(
  body: { readonly current: HTMLElement | null },
  order: readonly string[],
): Drawn {
  const total = order.length;
  const [extent, setExtent] = useState<RowRange>(() => ({
    from: 0,
    to: Math.min(total, MAX_WHOLE_ROWS),
  }));
  const [wanted, setWanted] = useState<number | null>(null);
  const height = useRef(DEFAULT_ROW_PX);
  const focused = total > MAX_WHOLE_ROWS ? order.indexOf(keyOfFocus(body.current)) : -1;

  function look(): void {
    const element = body.current;
    if (element === null || total <= MAX_WHOLE_ROWS) return;
    const rows = [...element.querySelectorAll<HTMLElement>("[data-key]")];
    const first = rows[0];
    if (first !== undefined && first.offsetHeight > 0) height.current = first.offsetHeight;
    const next = rowRangeOf({
      total,
      top: element.getBoundingClientRect().top,
      screen: innerHeight,
      rowHeight: height.current,
    });
    setExtent((old) => old.from === next.from && old.to === next.to ? old : next);
  }

  useLayoutEffect(() => {
    look();
    if (total <= MAX_WHOLE_ROWS) return;
    // Caught on its way down, since a table may scroll with the page or with a dialog.
    document.addEventListener("scroll", look, { capture: true, passive: true });
    addEventListener("resize", look);
    return () => {
      document.removeEventListener("scroll", look, { capture: true });
      removeEventListener("resize", look);
    };
  }, [total]);

  useLayoutEffect(() => {
    if (wanted === null) return;
    rowAt(body.current, order[wanted])?.focus();
    setWanted(null);
  }, [wanted]);

  function focusRow(row: number): void {
    const element = rowAt(body.current, order[row]);
    if (element === undefined) setWanted(row);
    else element.focus();
  }

  const whole = total <= MAX_WHOLE_ROWS ? { from: 0, to: total } : extent;
  const kept = [focused, wanted ?? -1];
  return { pieces: pieces(total, whole, kept), rowHeight: height.current, focusRow };
}

function keyOfFocus(body: HTMLElement | null): string {
  const focused = document.activeElement;
  if (body === null || focused === null || !body.contains(focused)) return "";
  return focused.closest<HTMLElement>("[data-key]")?.dataset["key"] ?? "";
}

function rowAt(body: HTMLElement | null, key: string | undefined): HTMLElement | undefined {
  const row = [...body?.querySelectorAll<HTMLElement>("[data-key]") ?? []]
    .find((element) => element.dataset["key"] === key);
  return row?.querySelector<HTMLElement>("[data-row]") ?? undefined;
}
