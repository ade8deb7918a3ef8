import type { VNode } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Name } from "../../../parts/show/name.tsx";
import type { Party } from "./parties.ts";
import { type CellText, partyNote } from "./text.ts";
import { t } from "../../../text/language.ts";

/** Sizes in CSS pixels, the same as in matrix.css. */
const ROW = 36;
const COLUMN = 40;
const HEAD = 184;
const TOP = 128;
/** Rows and columns that are drawn beyond the edge. */
const BEYOND = 3;

/** A place in the grid; -1 is the header of a row or of a column. */
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

/** Where a move along one side ends: only a single step goes to the header. */
function moved(from: number, step: number, size: number): number {
  const least = step === -1 && from >= 0 ? -1 : 0;
  return step === 0 ? from : Math.max(least, Math.min(size - 1, from + step));
}

/** The matrix as a grid of which only what is near the screen is drawn. */
export function Grid(
  { rows, columns, cell, at, onMove, onExplain, onFold }: {
    rows: readonly Party[];
    columns: readonly Party[];
    cell: (from: Party, to: Party) => CellText;
    at: At;
    onMove: (at: At) => void;
    /** Goes to the answer of the selected pair. */
    onExplain: () => void;
    /** Shows or hides the devices of a group. */
    onFold: (side: "from" | "to", party: Party) => void;
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
      const header = at.column < 0 ? rows[at.row] : at.row < 0 ? columns[at.column] : undefined;
      if (header === undefined) onExplain();
      else if (header.open !== null) {
        wants.current = true;
        onFold(at.column < 0 ? "from" : "to", header);
      }
      return;
    }
    const step = MOVES[event.key];
    if (step === undefined || event.altKey || event.metaKey) return;
    event.preventDefault();
    const whole = event.ctrlKey && step[0] === 0 && !Number.isFinite(step[1]);
    const next = {
      row: moved(at.row, whole ? step[1] : step[0], rows.length),
      column: moved(at.column, step[1], columns.length),
    };
    // There is nothing where the two kinds of headers meet.
    if (next.row < 0 && next.column < 0) return;
    const { current } = box;
    if (current) {
      const [top, left] = [Math.max(0, next.row) * ROW, Math.max(0, next.column) * COLUMN];
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
        aria-label={t("Access matrix")}
        aria-rowcount={rows.length + 1}
        aria-colcount={columns.length + 1}
        style={size}
        onKeyDown={move}
      >
        <div role="row" class="to" aria-rowindex={1}>
          <div role="columnheader" class="from" aria-colindex={1}>{t("From \\ to")}</div>
          {drawnColumns.map((column) => (
            <Header
              key={column}
              role="columnheader"
              place={column}
              party={columns[column]!}
              here={at.row < 0 && column === at.column}
              onFold={() => onFold("to", columns[column]!)}
            />
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
            <Header
              role="rowheader"
              party={rows[row]!}
              here={at.column < 0 && row === at.row}
              onFold={() => onFold("from", rows[row]!)}
            />
            {drawnColumns.map((column) => {
              const [from, to] = [rows[row]!, columns[column]!];
              const { word, mark } = cell(from, to);
              const here = row === at.row && column === at.column;
              return (
                <div
                  key={column}
                  role="gridcell"
                  aria-colindex={column + 2}
                  aria-selected={here}
                  aria-label={t("{label} to {label2}: {word}", {
                    label: from.label,
                    label2: to.label,
                    word,
                  })}
                  title={word}
                  tabIndex={here ? 0 : -1}
                  style={{ left: `${HEAD + column * COLUMN}px` }}
                  onClick={() => onMove({ row, column })}
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

/** The name of a row or a column; that of a group shows and hides its devices. */
function Header(
  { role, place, party, here, onFold }: {
    role: "rowheader" | "columnheader";
    /** Number of the column; none for a row. */
    place?: number;
    party: Party;
    here: boolean;
    onFold: () => void;
  },
): VNode {
  const { label, open, inside } = party;
  const note = partyNote(party);
  const kind = open === null ? inside ? "inside" : "" : "fold";
  return (
    <div
      role={role}
      class={`${place === undefined ? "from" : ""} ${kind}`.trim()}
      aria-colindex={place === undefined ? 1 : place + 2}
      aria-expanded={open ?? undefined}
      title={note === "" ? label : `${label}, ${note}`}
      tabIndex={here ? 0 : -1}
      style={place === undefined ? undefined : { left: `${HEAD + place * COLUMN}px` }}
      onClick={open === null ? undefined : onFold}
    >
      <span>
        <Name>{label}</Name>
        {note !== "" && <small>{note.split(" ")[0]}</small>}
      </span>
    </div>
  );
}
