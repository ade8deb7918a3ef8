import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { Dialog } from "../../../parts/overlay/dialog.tsx";
import { Name } from "../../../parts/show/name.tsx";
import { numberText } from "../../../text/format.ts";
import type { Party } from "./parties.ts";
import { type CellText, partyNote } from "./text.ts";
import { t } from "../../../text/language.ts";

/** Ends that are listed before one asks for more. */
const STEP = 100;

/** The access of one party as a list, for narrow screens; the answer to a pair comes as a sheet. */
export function List(
  { rows, columns, cell, row, onRow, column, onColumn, onFold, answer }: {
    rows: readonly Party[];
    columns: readonly Party[];
    cell: (from: Party, to: Party) => CellText & { readonly reason: string };
    /** Place in `rows` of the party that is looked at. */
    row: number;
    onRow: (row: number) => void;
    /** Place in `columns` of the party whose answer is open; null for none. */
    column: number | null;
    onColumn: (column: number | null) => void;
    onFold: (party: Party) => void;
    answer: VNode;
  },
): VNode {
  const [most, setMost] = useState(STEP);
  const from = rows[row]!;
  const to = column === null ? undefined : columns[column];
  return (
    <>
      <div class="pad field">
        <label for="matrix-from">{t("Source")}</label>
        <select
          id="matrix-from"
          class="select"
          value={String(row)}
          onChange={(event) => onRow(Number(event.currentTarget.value))}
        >
          {rows.map((party, nth) => (
            <option key={party.key} value={nth}>
              {`${party.inside ? "– " : ""}${party.label}`}
            </option>
          ))}
        </select>
      </div>
      <ul class="rows matrix-list" aria-label={t("Access")}>
        {columns.slice(0, most).map((party, nth) => {
          const { word, tone, mark, reason } = cell(from, party);
          return (
            <li key={party.key} class={party.inside ? "inside" : ""}>
              <i class={`mark-${mark}`} aria-hidden="true" />
              <button class="grow any link wraps" type="button" onClick={() => onColumn(nth)}>
                <Name>{party.label}</Name>
                <small>
                  <Name>{reason}</Name>
                </small>
              </button>
              <b class={tone}>{word}</b>
              {party.open !== null && (
                <button
                  class="icon-btn fold"
                  type="button"
                  aria-expanded={party.open}
                  aria-label={`${party.label}, ${partyNote(party)}`}
                  onClick={() => onFold(party)}
                />
              )}
            </li>
          );
        })}
      </ul>
      {columns.length > most && (
        <div class="pad">
          <button class="btn" type="button" onClick={() => setMost(most + STEP)}>
            {t("Show more of {columns}", { columns: numberText(columns.length) })}
          </button>
        </div>
      )}
      {to !== undefined && (
        <Dialog title={t("Access")} kind="drawer" onClose={() => onColumn(null)}>
          <div class="body stack matrix-sheet">{answer}</div>
        </Dialog>
      )}
    </>
  );
}
