import type { VNode } from "preact";
import { useMemo } from "preact/hooks";
import { openPreview } from "../../actions/action.ts";
import { Icon } from "../../parts/show/icon.tsx";
import { Name } from "../../parts/show/name.tsx";
import { Switch } from "../../parts/form/switch.tsx";
import type { Column } from "../../parts/table/column.ts";
import { Table } from "../../parts/table/table.tsx";
import { day } from "../../text/time.ts";
import { switchRule } from "./actions.ts";
import { FindingRow } from "./finding_row.tsx";
import { isOff, type Kind } from "./kinds.ts";
import { deviceNames } from "./text.ts";
import type { AnyRule, Finding, RuleCounter } from "./wire.ts";

/** Packet counter of a rule; null where there is none. */
export type Hits = (kind: Kind, rule: AnyRule) => RuleCounter | null;

const numbers = new Intl.NumberFormat("en-GB");

/** The rules of one kind: from where, to where, how often it was met, and whether it is on. */
export function RuleTable(
  { kind, rules, hits, findings, onOpen, onDone }: {
    kind: Kind;
    rules: readonly AnyRule[];
    hits: Hits;
    /** Possible problems of a rule. */
    findings: (kind: Kind, rule: AnyRule) => readonly Finding[];
    onOpen: (rule: AnyRule) => void;
    onDone: () => void;
  },
): VNode {
  const columns = useMemo(() => columnsOf({ kind, hits, onOpen, onDone }), [
    kind,
    hits,
    // Rules name the devices that hold their addresses.
    deviceNames.value,
  ]);
  return (
    <Table
      label={kind.title}
      columns={columns}
      rows={rules}
      keyOf={kind.key}
      remember={`sluice.rules.${kind.path}.sort`}
      tone={(rule) => isOff(rule) ? "off" : ""}
      below={(rule) =>
        findings(kind, rule).map((finding, index) => (
          <FindingRow key={index} finding={finding} columns={columns.length} onDone={onDone} />
        ))}
    />
  );
}

function columnsOf(
  { kind, hits, onOpen, onDone }: {
    kind: Kind;
    hits: Hits;
    onOpen: (rule: AnyRule) => void;
    onDone: () => void;
  },
): readonly Column<AnyRule>[] {
  return [
    {
      name: "name",
      word: "Name",
      sort: (rule) => kind.text(rule).name,
      cell: (rule) => (
        <div class="who">
          <span class={isOff(rule) ? "quiet" : kind.tone}>
            <Icon name={kind.icon} small />
          </span>
          <button class="link" type="button" data-row onClick={() => onOpen(rule)}>
            <Name>{kind.text(rule).name}</Name>
          </button>
        </div>
      ),
    },
    {
      name: "from",
      word: "From",
      soft: true,
      phone: "sub",
      sort: (rule) => kind.text(rule).from,
      cell: (rule) => <Name>{kind.text(rule).from}</Name>,
    },
    {
      name: "to",
      word: "To",
      soft: true,
      lead: "to",
      sort: (rule) => kind.text(rule).to,
      cell: (rule) => <Name>{kind.text(rule).to}</Name>,
    },
    {
      name: "hits",
      word: "Hits",
      width: "96px",
      num: true,
      phone: "under",
      // What is met most comes first.
      sort: (rule) => -(hits(kind, rule)?.packets ?? -1),
      cell: (rule) => <Met use={hits(kind, rule)} />,
    },
    {
      name: "on",
      word: "On",
      width: "76px",
      num: true,
      phone: "end",
      cell: (rule) =>
        "Disabled" in rule
          ? (
            <Switch
              label={`${kind.text(rule).name} is on`}
              on={!isOff(rule)}
              onFlip={() => openPreview(switchRule(kind, rule, isOff(rule), onDone))}
            />
          )
          : <span class="quiet">always</span>,
    },
  ];
}

function Met({ use }: { use: RuleCounter | null }): VNode {
  if (use === null || use.packets === null) return <span class="quiet">–</span>;
  return (
    <span title={metText(use) ?? ""}>
      {use.packets === 0 ? <span class="quiet">never</span> : numbers.format(use.packets)}
      <span class="vh">since the rules were loaded</span>
    </span>
  );
}

/** Hits of a rule as a sentence; null where there is no counter. */
export function metText(use: RuleCounter | null): string | null {
  if (use === null || use.packets === null) return null;
  const { packets, since, lastUsed } = use;
  if (lastUsed === null) {
    return since === null
      ? "No hits since the rules were loaded"
      : `No hits since ${day(since)}, when counting started`;
  }
  const last = `last hit ${day(lastUsed)}`;
  if (packets === 0) return `No hits since the rules were loaded, ${last}`;
  const unit = packets === 1 ? "packet" : "packets";
  return `${numbers.format(packets)} ${unit} since the rules were loaded, ${last}`;
}
