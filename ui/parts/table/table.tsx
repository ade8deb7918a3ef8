import { type ComponentChildren, Fragment, toChildArray, type VNode } from "preact";
import { useMemo, useRef, useState } from "preact/hooks";
import { Icon } from "../show/icon.tsx";
import { allOrNone, type Selection, through, toggled } from "./selection.ts";
import { classesOf, type Column, tracks } from "./column.ts";
import { keyTarget } from "../form/keys.ts";
import { parseSort, Ranks, type Sort, sortBy, sortRows, sortText, stableOrder } from "./sort.ts";
import { assignSlots, type Slots } from "./row_slots.ts";
import { keyOfFocus, useRowRange } from "./use_row_range.ts";
import { t, tn } from "../../text/language.ts";

/** A table of things of one kind. */
export interface TableProps<T> {
  readonly label: string;
  /** Columns; kept outside of the component or by `useMemo`, since new ones draw every row. */
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  readonly keyOf: (item: T) => string;
  /** Name under which this browser remembers how it is sorted. */
  readonly remember?: string;
  /** How it is sorted at first; as the rows are given where it is left out. */
  readonly start?: Sort;
  /** Rows that are on top whatever the sort is. */
  readonly first?: (item: T) => boolean;
  /** What the rows are narrowed by; another value sorts them anew. */
  readonly view?: string;
  /** Class of a row, such as `off` or `wait`. */
  readonly tone?: (item: T) => string;
  /** What a row says beside its item, such as an age: a row is drawn anew when it differs. */
  readonly stamp?: (item: T) => unknown;
  /** What stands below a row, across it. */
  readonly below?: (item: T) => ComponentChildren;
  /** Chosen rows, where several may be chosen for one act. */
  readonly choice?: Selection;
  readonly onChoice?: (choice: Selection) => void;
  /** How a row is called by the box that chooses it. */
  readonly nameOf?: (item: T) => string;
  /**
   * Cells keep no state of their own, so that the element of a row that is drawn no more may show
   * another: a sort then takes about half the time.
   */
  readonly isStateless?: boolean;
}

/**
 * The dense list: sorted by its headings, filtered by the caller that gives the rows, and drawn near the
 * screen alone once it is long. ↑ and ↓ walk the rows by what has `data-row` in them, Enter opens
 * one, Space chooses one, and with Shift a choice goes on to where it is made.
 */
export function Table<T>(props: TableProps<T>): VNode {
  const { label, columns, keyOf, remember, first, view = "", choice } = props;
  const [sort, setSort] = useState<Sort | null>(() =>
    (remember === undefined ? null : parseSort(localStorage.getItem(remember), columns)) ??
      props.start ?? null
  );
  const ranks = useMemo(() => new Ranks(), []);
  const wanted = useMemo(
    () => sortRows(props.rows, { columns, sort, keyOf, first }, ranks),
    [props.rows, columns, sort],
  );
  const byKey = useMemo(() => new Map(props.rows.map((item) => [keyOf(item), item])), [props.rows]);
  const ids = useMemo(() => wanted.map(keyOf), [wanted]);
  const { order, moved, resort } = useStableOrder(ids, `${view}\n${sort && sortText(sort)}`);
  const body = useRef<HTMLTableSectionElement>(null);
  const { pieces, isWhole, rowHeight, focusRow } = useRowRange(body, order);
  const slots = useRef<Slots>(new Map());
  if (props.isStateless) {
    const drawn = pieces.flatMap((piece) => "row" in piece ? [order[piece.row] as string] : []);
    slots.current = assignSlots(slots.current, drawn, keyOfFocus(body.current));
  }
  const last = useRef<string | null>(null);
  const checks = choice !== undefined;
  const classes = useMemo(() => columns.map(classesOf), [columns]);

  function sortOn(column: string): void {
    const next = sortBy(sort, column);
    if (remember !== undefined) localStorage.setItem(remember, sortText(next));
    setSort(next);
  }

  function choose(target: EventTarget | null, on: boolean): void {
    const key = (target as HTMLElement).closest<HTMLElement>("[data-key]")?.dataset["key"];
    if (key === undefined || choice === undefined) return;
    props.onChoice?.(
      on && last.current !== null
        ? through(choice, order, last.current, key)
        : toggled(choice, key),
    );
    last.current = key;
  }

  function press(event: KeyboardEvent): void {
    const target = event.target as HTMLElement;
    if (!target.matches("[data-row]")) return;
    if (event.key === " " && checks) {
      event.preventDefault();
      choose(target, event.shiftKey);
      return;
    }
    const key = target.closest<HTMLElement>("[data-key]")?.dataset["key"] ?? "";
    const to = keyTarget(event.key, order.indexOf(key), order.length);
    if (to === null) return;
    event.preventDefault();
    focusRow(to);
  }

  return (
    <>
      {moved > 0 && (
        <button class="btn small resort" type="button" onClick={resort}>
          {tn("{count} row moved. Sort again", "{count} rows moved. Sort again", moved)}
        </button>
      )}
      <table
        class={checks ? "tbl sheet checks" : "tbl sheet"}
        role="table"
        aria-label={label}
        aria-rowcount={isWhole ? undefined : order.length + 1}
        style={tracks(columns, checks)}
        onKeyDown={press}
        onClick={(event) => {
          const box = event.target as HTMLElement;
          if (box.matches("td > .check")) choose(box, event.shiftKey);
        }}
      >
        <thead role="rowgroup">
          <tr role="row" aria-rowindex={isWhole ? undefined : 1}>
            {choice !== undefined && (
              <th scope="col" role="columnheader" class="c-check">
                <CheckAll
                  choice={choice}
                  order={order}
                  onChoice={(next) => props.onChoice?.(next)}
                />
              </th>
            )}
            {columns.map((column, index) => (
              <th
                key={column.name}
                scope="col"
                role="columnheader"
                class={classes[index]}
                aria-sort={sort?.column === column.name
                  ? (sort.down ? "descending" : "ascending")
                  : undefined}
              >
                {column.sort === undefined
                  ? column.word
                  : (
                    <button class="sort" type="button" onClick={() => sortOn(column.name)}>
                      {column.word}
                      {sort?.column === column.name && (
                        <Icon name="up" small class={sort.down ? "down" : ""} />
                      )}
                    </button>
                  )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup" ref={body}>
          {pieces.map((piece) => {
            if ("gap" in piece) {
              return (
                <tr key={`gap ${piece.before}`} class="gap" aria-hidden="true">
                  <td style={{ height: `${piece.gap * rowHeight}px` }} />
                </tr>
              );
            }
            const key = order[piece.row] as string;
            const item = byKey.get(key) as T;
            const below = props.below?.(item);
            return (
              <Fragment key={slots.current.get(key) ?? key}>
                <Row
                  item={item}
                  rowKey={key}
                  index={isWhole ? undefined : piece.row + 2}
                  chosen={choice?.has(key)}
                  table={props}
                  classes={classes}
                  stamp={props.stamp?.(item)}
                  isJoined={toChildArray(below).length > 0}
                />
                <Fragment key={key}>{below}</Fragment>
              </Fragment>
            );
          })}
        </tbody>
      </table>
    </>
  );
}

function CheckAll(
  { choice, order, onChoice }: {
    choice: Selection;
    order: readonly string[];
    onChoice: (choice: Selection) => void;
  },
): VNode {
  const every = order.every((key) => choice.has(key));
  return (
    <input
      class="check"
      type="checkbox"
      aria-label={t("Select all shown")}
      checked={every}
      indeterminate={!every && choice.size > 0}
      onChange={() => onChoice(allOrNone(choice, order))}
    />
  );
}

/** One row; its cells are drawn again only when it says something else. */
function Row<T>(
  { item, rowKey, index, chosen, table, classes, stamp, isJoined }: {
    item: T;
    rowKey: string;
    index: number | undefined;
    chosen: boolean | undefined;
    table: TableProps<T>;
    /** Of the cells, by column. */
    classes: readonly string[];
    stamp: unknown;
    /** Something stands below it, without a line between. */
    isJoined: boolean;
  },
): VNode {
  const { columns, tone, nameOf } = table;
  const cells = useMemo(() => (
    <>
      {chosen !== undefined && (
        <td class="c-check" role="cell">
          <input
            class="check"
            type="checkbox"
            checked={chosen}
            aria-label={t("Select {name}", { name: nameOf?.(item) ?? rowKey })}
          />
        </td>
      )}
      {columns.map((column, at) => (
        <td
          key={column.name}
          role="cell"
          class={classes[at]}
          data-lead={column.lead}
        >
          {column.cell(item)}
        </td>
      ))}
    </>
  ), [item, chosen, columns, stamp]);
  return (
    <tr
      role="row"
      class={`${tone?.(item) ?? ""}${chosen ? " chosen" : ""}${isJoined ? " joined" : ""}`}
      data-key={rowKey}
      aria-rowindex={index}
    >
      {cells}
    </tr>
  );
}

/** Keeps rows in their place while the world changes, until they are sorted anew or by another view. */
function useStableOrder(
  wanted: readonly string[],
  view: string,
): { readonly order: readonly string[]; readonly moved: number; readonly resort: () => void } {
  const last = useRef<{ view: string; order: readonly string[] }>({ view: "", order: [] });
  const [drawn, draw] = useState(0);
  const { order, moved } = useMemo(() => {
    const { view: lastView, order: shown } = last.current;
    const next = lastView === view ? stableOrder(shown, wanted) : { order: wanted, moved: 0 };
    // What is in the same order stays the same value, and draws nothing else.
    const isSame = next.order.length === shown.length &&
      next.order.every((key, at) => key === shown[at]);
    return isSame ? { order: shown, moved: next.moved } : next;
  }, [wanted, view, drawn]);
  last.current = { view, order };
  const resort = (): void => {
    last.current = { view, order: wanted };
    draw((n) => n + 1);
  };
  return { order, moved, resort };
}
