import type { Column } from "../../../parts/table/column.ts";
import { Name } from "../../../parts/show/name.tsx";
import { clock } from "../../../text/time.ts";
import type { Devices } from "../../../wire.ts";
import { readable } from "./idn.ts";
import type { LogEntry } from "../wire.ts";
import { decisionsFor, outcome, queryName, ruleText, typeText, whoOf } from "../text.ts";
import { numberText } from "../../../text/format.ts";
import { t } from "../../../text/language.ts";

/** What a row of the log leads to. */
export interface LogActs {
  readonly open: (entry: LogEntry) => void;
  readonly decide: (entry: LogEntry, type: "permit" | "block") => void;
}

/** The columns of the log. */
export function logColumns(devices: Devices | null, acts: LogActs): readonly Column<LogEntry>[] {
  return [
    {
      name: "domain",
      word: t("Domain"),
      width: "minmax(0, 2fr)",
      phone: "name",
      sort: queryName,
      cell: (entry) => (
        <button class="link" type="button" data-row onClick={() => acts.open(entry)}>
          <Name>{readable(queryName(entry))}</Name>
        </button>
      ),
    },
    {
      name: "type",
      word: t("Type"),
      width: "64px",
      soft: true,
      from: "large",
      phone: "none",
      sort: (entry) => typeText(entry.Q[0]?.Qtype ?? 0),
      cell: (entry) => typeText(entry.Q[0]?.Qtype ?? 0),
    },
    {
      name: "who",
      word: t("Device"),
      phone: "sub",
      sort: (entry) => whoOf(entry, devices),
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
      word: t("Status"),
      width: "128px",
      phone: "side",
      sort: (entry) => outcome(entry)[0],
      cell: (entry) => {
        const [word, tone] = outcome(entry);
        return <span class={`chip ${tone}`}>{word}</span>;
      },
    },
    {
      name: "rule",
      word: t("Rule"),
      soft: true,
      from: "desk",
      phone: "none",
      sort: ruleText,
      cell: (entry) => <Name>{ruleText(entry)}</Name>,
    },
    {
      name: "upstream",
      word: t("Upstream"),
      soft: true,
      from: "large",
      phone: "none",
      sort: (entry) => entry.upstream,
      cell: (entry) => <Name>{entry.upstream}</Name>,
    },
    {
      name: "ms",
      word: "ms",
      width: "64px",
      num: true,
      soft: true,
      from: "desk",
      phone: "none",
      sort: (entry) => entry.ms,
      cell: (entry) =>
        entry.upstream === ""
          ? ""
          : numberText(entry.ms < 10 ? Math.round(entry.ms * 10) / 10 : Math.round(entry.ms)),
    },
    {
      name: "at",
      word: t("Time"),
      width: "76px",
      num: true,
      phone: "under",
      sort: (entry) => Date.parse(entry.Timestamp),
      cell: (entry) => clock(Date.parse(entry.Timestamp), true),
    },
    {
      name: "act",
      word: t("Action"),
      width: "84px",
      phone: "end",
      cell: (entry) =>
        decisionsFor(entry).slice(0, 1).map((type) => (
          <button
            key={type}
            class="btn small"
            type="button"
            onClick={() => acts.decide(entry, type)}
          >
            {type === "permit" ? t("Allow") : t("Block")}
            <span class="vh">
              {t(" {queryName} for {who}", {
                queryName: queryName(entry),
                who: whoOf(entry, devices),
              })}
            </span>
          </button>
        )),
    },
  ];
}
