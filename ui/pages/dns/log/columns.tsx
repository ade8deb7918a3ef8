import type { Column } from "../../../parts/table/column.ts";
import { Name } from "../../../parts/show/name.tsx";
import { clock } from "../../../text/time.ts";
import type { Devices } from "../../../wire.ts";
import { readable } from "./idn.ts";
import type { LogEntry } from "../wire.ts";
import { bare, outcome, queryName, typeText, whoOf } from "../text.ts";

/** The columns of the log. */
export function logColumns(
  devices: Devices | null,
  onOpen: (entry: LogEntry) => void,
): readonly Column<LogEntry>[] {
  return [
    {
      name: "domain",
      word: "Domain",
      width: "minmax(0, 2fr)",
      phone: "name",
      cell: (entry) => (
        <button class="link" type="button" data-row onClick={() => onOpen(entry)}>
          <Name>{readable(queryName(entry))}</Name>
        </button>
      ),
    },
    {
      name: "type",
      word: "Type",
      width: "64px",
      soft: true,
      from: "large",
      phone: "none",
      cell: (entry) => typeText(entry.Q[0]?.Qtype ?? 0),
    },
    {
      name: "who",
      word: "Device",
      phone: "sub",
      cell: (entry) =>
        entry.identity === "" || devices?.[entry.identity] === undefined
          ? <span class="quiet">{whoOf(entry, devices)}</span>
          : (
            <a href={`/admin/devices/${encodeURIComponent(entry.identity)}`}>
              <Name>{whoOf(entry, devices)}</Name>
            </a>
          ),
    },
    {
      name: "outcome",
      word: "Status",
      width: "148px",
      phone: "side",
      cell: (entry) => {
        const [word, tone] = outcome(entry);
        return <span class={`chip ${tone}`}>{word}</span>;
      },
    },
    {
      name: "answer",
      word: "Answer",
      soft: true,
      from: "desk",
      phone: "none",
      cell: (entry) => <Name>{readable(bare(entry.FirstAnswer))}</Name>,
    },
    {
      name: "at",
      word: "Time",
      width: "84px",
      num: true,
      phone: "under",
      cell: (entry) => clock(Date.parse(entry.Timestamp), true),
    },
  ];
}
