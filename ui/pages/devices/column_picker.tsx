import type { VNode } from "preact";
import { useId } from "preact/hooks";
import { signal } from "@preact/signals";
import { COLUMNS, type Entry } from "./columns.tsx";
import type { Column } from "../../parts/table/column.ts";
import { t } from "../../text/language.ts";
import "../../styles/parts/menu.css";

const STORED = "sluice.devices.columns";
/** Columns that are not shown unless they are chosen. */
const AT_FIRST_HIDDEN = ["mac", "down", "up", "signal"];
/** The name is always there: it leads to the device. */
const FIXED = "name";

/** Names of the columns that are not shown; this browser remembers them. */
const hidden = signal<readonly string[]>(read());

function read(): readonly string[] {
  const stored = localStorage.getItem(STORED);
  return stored === null ? AT_FIRST_HIDDEN : stored.split(" ");
}

let last: { readonly key: string; readonly columns: readonly Column<Entry>[] } | null = null;

/** The columns that are shown; the same value while the choice is the same. */
export function shownColumns(): readonly Column<Entry>[] {
  const key = hidden.value.join(" ");
  if (last?.key !== key) {
    const columns = COLUMNS.filter(({ name }) => !hidden.value.includes(name));
    last = { key, columns };
  }
  return last.columns;
}

/** Chooses the columns of the list of devices. */
export function ColumnPicker(): VNode {
  const id = useId();
  function flip(name: string, on: boolean): void {
    hidden.value = on ? hidden.value.filter((one) => one !== name) : [...hidden.value, name];
    localStorage.setItem(STORED, hidden.value.join(" "));
  }
  return (
    <div class="column-picker">
      <button class="btn" type="button" popovertarget={id}>{t("Columns")}</button>
      <div id={id} class="menu" popover="auto" role="group" aria-label={t("Columns")}>
        {COLUMNS.filter(({ name }) => name !== FIXED).map(({ name, word }) => (
          <label key={name} class="item">
            <input
              class="check"
              type="checkbox"
              checked={!hidden.value.includes(name)}
              onChange={(event) =>
                flip(name, event.currentTarget.checked)}
            />
            {word}
          </label>
        ))}
      </div>
    </div>
  );
}
