import type { VNode } from "preact";
import { Icon } from "../../parts/icon.tsx";
import type { Column, Entry, Sort } from "./order.ts";
import { DeviceRow } from "./row.tsx";

const COLUMNS: readonly (readonly [Column, string, string])[] = [
  ["name", "Name", "c-name"],
  ["access", "May use", "c-acc"],
  ["groups", "Groups", "c-groups"],
  ["address", "Address", "c-ip"],
  ["link", "Link", "c-link"],
  ["seen", "Seen", "c-seen num"],
];

/** The dense list. ↑ and ↓ walk the rows, Enter opens one. */
export function DeviceTable(
  { entries, sort, onSort, now }: {
    entries: readonly Entry[];
    sort: Sort;
    onSort: (column: Column) => void;
    now: number;
  },
): VNode {
  return (
    <table class="tbl devs" role="table" aria-label="Devices" onKeyDown={walk}>
      <thead role="rowgroup">
        <tr role="row">
          {COLUMNS.map(([column, word, classes]) => (
            <th
              key={column}
              scope="col"
              role="columnheader"
              class={classes}
              aria-sort={sort.column === column
                ? (sort.down ? "descending" : "ascending")
                : undefined}
            >
              <button class="sort" type="button" onClick={() => onSort(column)}>
                {word}
                {sort.column === column && <Icon name="up" small class={sort.down ? "down" : ""} />}
              </button>
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {entries.map(([identity, device]) => (
          <DeviceRow key={identity} identity={identity} device={device} now={now} />
        ))}
      </tbody>
    </table>
  );
}

/** Moves the focus between the links of the rows. */
export function walk(event: KeyboardEvent & { readonly currentTarget: HTMLElement }): void {
  const rows = [...event.currentTarget.querySelectorAll<HTMLElement>("[data-row]")];
  const at = rows.indexOf(document.activeElement as HTMLElement);
  const to = target(event.key, at, rows.length);
  if (to === null || at < 0) return;
  event.preventDefault();
  rows[to]?.focus();
}

function target(key: string, at: number, length: number): number | null {
  switch (key) {
    case "ArrowDown":
      return Math.min(at + 1, length - 1);
    case "ArrowUp":
      return Math.max(at - 1, 0);
    case "Home":
      return 0;
    case "End":
      return length - 1;
    default:
      return null;
  }
}
