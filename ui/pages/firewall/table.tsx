import type { VNode } from "preact";
import { useMemo } from "preact/hooks";
import { openPreview } from "../../actions/action.ts";
import { Icon } from "../../parts/show/icon.tsx";
import { Name } from "../../parts/show/name.tsx";
import { Switch } from "../../parts/form/switch.tsx";
import type { Column } from "../../parts/table/column.ts";
import { Table } from "../../parts/table/table.tsx";
import { numberText } from "../../text/format.ts";
import { day } from "../../text/time.ts";
import { switchRule } from "./actions.ts";
import { FindingRow } from "./finding_row.tsx";
import { isOff } from "./kinds.ts";
import { type Line, lineKey } from "./lines.ts";
import { deviceNames } from "./text.ts";
import type { Finding, RuleCounter } from "./wire.ts";
import { t, tn } from "../../text/language.ts";

/** Packet counter of a line; null where there is none. */
export type Hits = (line: Line) => RuleCounter | null;

/** Rules of all kinds: type, from where, to where, which service, how often it was met, and whether it is on. */
export function RuleTable(
  { lines, view, hits, findings, onOpen, onDone }: {
    lines: readonly Line[];
    /** What the lines are narrowed by. */
    view: string;
    hits: Hits;
    /** Possible problems of a line. */
    findings: (line: Line) => readonly Finding[];
    onOpen: (line: Line) => void;
    onDone: () => void;
  },
): VNode {
  const columns = useMemo(() => columnsOf({ hits, onOpen, onDone }), [
    hits,
    // Rules name the devices that hold their addresses.
    deviceNames.value,
  ]);
  return (
    <Table
      label={t("Firewall rules")}
      columns={columns}
      rows={lines}
      keyOf={lineKey}
      view={view}
      remember="sluice.rules.sort"
      tone={({ rule }) => isOff(rule) ? "off" : ""}
      isStateless
      below={(line) =>
        findings(line).map((finding, index) => (
          <FindingRow key={index} finding={finding} columns={columns.length} onDone={onDone} />
        ))}
    />
  );
}

function columnsOf(
  { hits, onOpen, onDone }: {
    hits: Hits;
    onOpen: (line: Line) => void;
    onDone: () => void;
  },
): readonly Column<Line>[] {
  const text = ({ kind, rule }: Line) => kind.text(rule);
  return [
    {
      name: "name",
      word: t("Name"),
      width: "minmax(0, 1.7fr)",
      sort: (line) => text(line).name,
      cell: (line) => (
        <div class="who">
          <span class={isOff(line.rule) ? "quiet" : line.kind.tone}>
            <Icon name={line.kind.icon} small />
          </span>
          <button class="link" type="button" data-row onClick={() => onOpen(line)}>
            <Name>{text(line).name}</Name>
          </button>
        </div>
      ),
    },
    {
      name: "type",
      word: t("Type"),
      width: "124px",
      soft: true,
      phone: "sub",
      sort: ({ kind }) => kind.type,
      cell: ({ kind }) => kind.type,
    },
    {
      name: "from",
      word: t("From"),
      soft: true,
      sort: (line) => text(line).from,
      cell: (line) => <Name>{text(line).from}</Name>,
    },
    {
      name: "to",
      word: t("To"),
      soft: true,
      lead: "to",
      sort: (line) => text(line).to,
      cell: (line) => <Name>{text(line).to}</Name>,
    },
    {
      name: "service",
      word: t("Service"),
      width: "minmax(0, .8fr)",
      phone: "under",
      sort: (line) => text(line).service,
      cell: (line) => text(line).service,
    },
    {
      name: "hits",
      word: t("Hits"),
      width: "64px",
      num: true,
      from: "desk",
      phone: "none",
      // What is met most comes first.
      sort: (line) => -(hits(line)?.packets ?? -1),
      cell: (line) => <Met use={hits(line)} />,
    },
    {
      name: "on",
      word: t("On"),
      width: "80px",
      num: true,
      phone: "end",
      sort: ({ rule }) => isOff(rule) ? "off" : "on",
      cell: (line) =>
        "Disabled" in line.rule
          ? (
            <Switch
              label={t("{name} is on", { name: text(line).name })}
              on={!isOff(line.rule)}
              onFlip={() => openPreview(switchRule(line, isOff(line.rule), onDone))}
            />
          )
          : <span class="quiet">{t("always")}</span>,
    },
  ];
}

function Met({ use }: { use: RuleCounter | null }): VNode {
  if (use === null || use.packets === null) return <span class="quiet">–</span>;
  return (
    <span title={metText(use) ?? ""}>
      {use.packets === 0 ? <span class="quiet">{t("never")}</span> : numberText(use.packets)}
      <span class="vh">{t("since the rules were loaded")}</span>
    </span>
  );
}

/** Hits of a rule as a sentence; null where there is no counter. */
export function metText(use: RuleCounter | null): string | null {
  if (use === null || use.packets === null) return null;
  const { packets, since, lastUsed } = use;
  if (lastUsed === null) {
    return since === null
      ? t("No hits since the rules were loaded")
      : t("No hits since {day}, when counting started", { day: day(since) });
  }
  const last = t("last hit {day}", { day: day(lastUsed) });
  if (packets === 0) return t("No hits since the rules were loaded, {last}", { last });
  return tn(
    "{count} packet since the rules were loaded, {last}",
    "{count} packets since the rules were loaded, {last}",
    packets,
    { last },
  );
}
