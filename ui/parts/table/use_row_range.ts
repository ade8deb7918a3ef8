import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import {
  type Piece,
  pieces,
  rangeAround,
  type RowRange,
  screenRows,
  widened,
} from "./row_range.ts";

/** Pixels of a row before any was measured. */
const DEFAULT_ROW_PX = 37;

/** What of a table is drawn, and the way to a row that may not be. */
export interface Drawn {
  readonly pieces: readonly Piece[];
  /** True once every row is drawn, so that nothing has to say how many there are besides. */
  readonly isWhole: boolean;
  /** Pixels of a row, for the room of those that are not drawn. */
  readonly rowHeight: number;
  /** Puts the focus on a row, which is drawn first where it is not. */
  readonly focusRow: (row: number) => void;
}

/** Milliseconds until more is drawn, in browsers that do not say when they have nothing else to do. */
const IDLE_MS = 100;
/** Milliseconds after which more is drawn although the page is busy. */
const MAX_IDLE_WAIT_MS = 500;

/**
 * Draws of a table what is on the screen, and the row that has the focus; the rows around it follow while
 * there is nothing else to do, so that a key or a sort is answered before. Rows are found by `data-key`,
 * what of them takes the focus by `data-row`. `order` is another value only where it differs.
 */
export function useRowRange(
  body: { readonly current: HTMLElement | null },
  order: readonly string[],
): Drawn {
  const total = order.length;
  const [near, setNear] = useState<RowRange>(() =>
    screenRows({ total, top: 0, screen: innerHeight, rowHeight: DEFAULT_ROW_PX })
  );
  const [beyond, setBeyond] = useState({ order, rows: 0 });
  const [wanted, setWanted] = useState<number | null>(null);
  const height = useRef(DEFAULT_ROW_PX);
  const rows = beyond.order === order ? beyond.rows : 0;
  const range = rangeAround(near, rows, total);
  const isWhole = range.from === 0 && range.to === total;
  const focused = isWhole ? -1 : order.indexOf(keyOfFocus(body.current));

  function look(): void {
    const element = body.current;
    if (element === null) return;
    const first = element.querySelector<HTMLElement>("[data-key]");
    if (first !== null && first.offsetHeight > 0) height.current = first.offsetHeight;
    const next = screenRows({
      total,
      top: element.getBoundingClientRect().top,
      screen: innerHeight,
      rowHeight: height.current,
    });
    setNear((old) => old.from === next.from && old.to === next.to ? old : next);
  }

  useLayoutEffect(() => {
    look();
    // Caught on its way down, since a table may scroll with the page or with a dialog.
    document.addEventListener("scroll", look, { capture: true, passive: true });
    addEventListener("resize", look);
    return () => {
      document.removeEventListener("scroll", look, { capture: true });
      removeEventListener("resize", look);
    };
  }, [total]);

  useEffect(() => {
    const next = widened(rows, total);
    if (next === rows || isWhole) return;
    return whenIdle(() => setBeyond({ order, rows: next }));
  }, [order, rows, isWhole]);

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

  const kept = [focused, wanted ?? -1];
  return { pieces: pieces(total, range, kept), isWhole, rowHeight: height.current, focusRow };
}

/** Acts once the page has nothing else to do; answers how to call it off. */
function whenIdle(act: () => void): () => void {
  if (typeof requestIdleCallback !== "function") {
    const timer = setTimeout(act, IDLE_MS);
    return () => clearTimeout(timer);
  }
  const idle = requestIdleCallback(act, { timeout: MAX_IDLE_WAIT_MS });
  return () => cancelIdleCallback(idle);
}

/** Key of the row that has the focus; empty where none of the table has it. */
export function keyOfFocus(body: HTMLElement | null): string {
  const focused = document.activeElement;
  if (body === null || focused === null || !body.contains(focused)) return "";
  return focused.closest<HTMLElement>("[data-key]")?.dataset["key"] ?? "";
}

function rowAt(body: HTMLElement | null, key: string | undefined): HTMLElement | undefined {
  const row = [...body?.querySelectorAll<HTMLElement>("[data-key]") ?? []]
    .find((element) => element.dataset["key"] === key);
  return row?.querySelector<HTMLElement>("[data-row]") ?? undefined;
}
