import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { Name } from "../../../parts/show/name.tsx";
import { numberText } from "../../../text/format.ts";
import type { ReachMatrix } from "./wire.ts";
import { cellOf, reachHref } from "./text.ts";

/** Ends that are listed before one asks for more. */
const STEP = 100;

/** The access of one class as a list, for narrow screens. */
export function List(
  { matrix, rows, columns, label, row, onRow }: {
    matrix: ReachMatrix;
    rows: readonly number[];
    columns: readonly number[];
    label: (party: number) => string;
    /** Place in `rows` of the party that is looked at. */
    row: number;
    onRow: (row: number) => void;
  },
): VNode {
  const [most, setMost] = useState(STEP);
  const from = rows[row]!;
  return (
    <>
      <div class="pad field">
        <label for="matrix-from">Source</label>
        <select
          id="matrix-from"
          class="select"
          value={String(row)}
          onChange={(event) => onRow(Number(event.currentTarget.value))}
        >
          {rows.map((party, nth) => <option key={party} value={nth}>{label(party)}</option>)}
        </select>
      </div>
      <ul class="rows" aria-label="Access">
        {columns.slice(0, most).map((to) => {
          const { word, tone, reason } = cellOf(matrix, from, to);
          const href = reachHref(matrix, from, to);
          return (
            <li key={to}>
              <div class="grow any">
                {href === null ? <Name>{label(to)}</Name> : (
                  <a href={href}>
                    <Name>{label(to)}</Name>
                  </a>
                )}
                <p>
                  <Name>{reason}</Name>
                </p>
              </div>
              <b class={tone}>{word}</b>
            </li>
          );
        })}
      </ul>
      {columns.length > most && (
        <div class="pad">
          <button class="btn" type="button" onClick={() => setMost(most + STEP)}>
            Show more of {numberText(columns.length)}
          </button>
        </div>
      )}
    </>
  );
}
