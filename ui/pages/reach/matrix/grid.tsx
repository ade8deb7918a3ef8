import type { VNode } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Name } from "../../../parts/show/name.tsx";
import type { ReachMatrix } from "./wire.ts";
import { cellOf } from "./text.ts";

/** Sizes in CSS pixels, the same as in matrix.css. */
const ROW = 36;
const COLUMN = 40;
const HEAD = 184;
const TOP = 128;
/** Rows and columns that are drawn beyond the edge. */
const BEYOND = 3;

/** A place in the drawn grid, not in the matrix. */
export interface At {
  readonly row: number;
  readonly column: number;
}

const MOVES: Readonly<Record<string, readonly [number, number]>> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  PageUp: [-10, 0],
  PageDown: [10, 0],
  Home: [0, -Infinity],
  End: [0, Infinity],
};

function clamp(value: number, size: number): number {
  return Math.max(0, Math.min(size - 1, value));
}

/** The matrix as a grid of which only what is near the screen is drawn. */
export function Grid(
  { matrix, rows, columns, label, at, onMove, onOpen }: {
    matrix: ReachMatrix;
    /** Numbers of the parties that are shown. */
    rows: readonly number[];
    columns: readonly number[];
    label: (party: number) => string;
    at: At;
    onMove: (at: At) => void;
    onOpen: (at: At) => void;
  },
): VNode {
  const box = useRef<HTMLDivElement>(null);
  const wants = useRef(false);
  const [view, setView] = useState({ top: 0, left: 0, width: 1200, height: 640 });
  const look = (): void => {
    // A scroll event may come after the grid has gone.
    if (box.current === null) return;
    const { scrollTop: top, scrollLeft: left, clientWidth: width, clientHeight: height } =
      box.current;
    setView({ top, left, width, height });
  };
  useEffect(() => {
    look();
    const watch = new ResizeObserver(look);
    watch.observe(box.current!);
    return () => watch.disconnect();
  }, []);
  useLayoutEffect(() => {
    if (!wants.current) return;
    const cell = box.current?.querySelector<HTMLElement>('[tabindex="0"]');
    if (!cell) return;
    wants.current = false;
    cell.focus({ preventScroll: true });
  });

  function move(event: KeyboardEvent): void {
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      onOpen(at);
      return;
    }
    const step = MOVES[event.key];
    if (step === undefined || event.altKey || event.metaKey) return;
    event.preventDefault();
    const whole = event.ctrlKey && step[0] === 0 && !Number.isFinite(step[1]);
    const next = {
      row: clamp(at.row + (whole ? step[1] : step[0]), rows.length),
      column: clamp(at.column + step[1], columns.length),
    };
    const { current } = box;
    if (current) {
      const [top, left] = [next.row * ROW, next.column * COLUMN];
      const [high, wide] = [
        current.clientHeight - TOP - ROW,
        current.clientWidth - HEAD - COLUMN,
      ];
      current.scrollTop = Math.max(top - high, Math.min(current.scrollTop, top));
      current.scrollLeft = Math.max(left - wide, Math.min(current.scrollLeft, left));
      look();
    }
    wants.current = true;
    onMove(next);
  }

  const near = (from: number, span: number, size: number, chosen: number, all: number) => {
    const first = Math.floor(from / size) - BEYOND;
    const last = Math.ceil((from + span) / size) + BEYOND;
    return Array.from({ length: last - first }, (_, nth) => first + nth)
      .concat(chosen < first || chosen >= last ? [chosen] : [])
      .filter((nth) => nth >= 0 && nth < all)
      .sort((a, b) => a - b);
  };
  const drawnRows = near(view.top, view.height, ROW, at.row, rows.length);
  const drawnColumns = near(view.left, view.width, COLUMN, at.column, columns.length);
  const size = {
    width: `${HEAD + columns.length * COLUMN}px`,
    height: `${TOP + rows.length * ROW}px`,
  };
  return (
    <div class="matrix" ref={box} onScroll={look}>
      <div
        role="grid"
        aria-label="Access matrix"
        aria-rowcount={rows.length + 1}
        aria-colcount={columns.length + 1}
        style={size}
        onKeyDown={move}
      >
        <div role="row" class="to" aria-rowindex={1}>
          <div role="columnheader" class="from" aria-colindex={1}>From \ to</div>
          {drawnColumns.map((column) => (
            <div
              key={column}
              role="columnheader"
              aria-colindex={column + 2}
              title={label(columns[column]!)}
              style={{ left: `${HEAD + column * COLUMN}px` }}
            >
              <span>
                <Name>{label(columns[column]!)}</Name>
              </span>
            </div>
          ))}
        </div>
        {drawnRows.map((row) => (
          <div
            key={row}
            role="row"
            class="line"
            aria-rowindex={row + 2}
            style={{ top: `${TOP + row * ROW}px` }}
          >
            <div role="rowheader" class="from" aria-colindex={1} title={label(rows[row]!)}>
              <Name>{label(rows[row]!)}</Name>
            </div>
            {drawnColumns.map((column) => {
              const { word, mark } = cellOf(matrix, rows[row]!, columns[column]!);
              const here = row === at.row && column === at.column;
              return (
                <div
                  key={column}
                  role="gridcell"
                  aria-colindex={column + 2}
                  aria-selected={here}
                  aria-label={`${label(rows[row]!)} to ${label(columns[column]!)}: ${word}`}
                  title={word}
                  tabIndex={here ? 0 : -1}
                  style={{ left: `${HEAD + column * COLUMN}px` }}
                  onClick={() => onMove({ row, column })}
                  onDblClick={() => onOpen({ row, column })}
                >
                  <i class={`mark-${mark}`} aria-hidden="true" />
                </div>
              );
            })}
          </div>
        ))}
      </div>
    </div>
  );
}
