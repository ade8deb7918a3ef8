import type { VNode } from "preact";
import { useRef } from "preact/hooks";
import { Icon } from "../../parts/icon.tsx";
import { walk } from "../../parts/walk.ts";
import { allOrNone, type Choice, through, toggled } from "./choice.ts";
import type { Column, Entry, Sort } from "./order.ts";
import { DeviceRow } from "./row.tsx";

export { walk };

const COLUMNS: readonly (readonly [Column, string, string])[] = [
  ["name", "Name", "c-name"],
  ["access", "May use", "c-acc"],
  ["groups", "Groups", "c-groups"],
  ["address", "Address", "c-ip"],
  ["link", "Link", "c-link"],
  ["seen", "Seen", "c-seen num"],
];

/**
 * The dense list. ↑ and ↓ walk the rows, Enter opens one, Space chooses one, and with Shift a choice
 * goes on to where it is made.
 */
export function DeviceTable(
  { entries, sort, onSort, now, choice, onChoice }: {
    entries: readonly Entry[];
    sort: Sort;
    onSort: (column: Column) => void;
    now: number;
    choice: Choice;
    onChoice: (choice: Choice) => void;
  },
): VNode {
  const last = useRef<string | null>(null);
  const order = () => entries.map(([identity]) => identity);

  function choose(place: EventTarget | null, on: boolean): void {
    const identity = (place as HTMLElement).closest("tr")?.dataset["identity"];
    if (identity === undefined) return;
    onChoice(
      on && last.current !== null
        ? through(choice, order(), last.current, identity)
        : toggled(choice, identity),
    );
    last.current = identity;
  }

  function click(event: MouseEvent): void {
    const box = event.target as HTMLElement;
    if (!box.matches("td .check")) return;
    choose(box, event.shiftKey);
  }

  function key(event: KeyboardEvent & { readonly currentTarget: HTMLElement }): void {
    if (event.key === " " && (event.target as HTMLElement).matches("[data-row]")) {
      event.preventDefault();
      choose(event.target, event.shiftKey);
    } else walk(event);
  }

  const every = entries.every(([identity]) => choice.has(identity));
  return (
    <table class="tbl devs" role="table" aria-label="Devices" onKeyDown={key} onClick={click}>
      <thead role="rowgroup">
        <tr role="row">
          <th scope="col" role="columnheader" class="c-check">
            <input
              class="check"
              type="checkbox"
              aria-label="Choose all that are shown"
              checked={every}
              indeterminate={!every && choice.size > 0}
              onChange={() => onChoice(allOrNone(choice, order()))}
            />
          </th>
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
          <DeviceRow
            key={identity}
            identity={identity}
            device={device}
            now={now}
            chosen={choice.has(identity)}
          />
        ))}
      </tbody>
    </table>
  );
}
