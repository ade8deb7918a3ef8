import { Fragment, type VNode } from "preact";
import { useSignal } from "@preact/signals";
import { openPreview } from "../../act.ts";
import { Icon } from "../../parts/icon.tsx";
import { Name } from "../../parts/name.tsx";
import { Switch } from "../../parts/switch.tsx";
import { walk } from "../devices/table.tsx";
import { switchRule } from "./acts.ts";
import { FindingRow } from "./finding_row.tsx";
import { isOff, type Kind } from "./kinds.ts";
import type { AnyRule, Finding } from "./wire.ts";

/** Packets that met a rule since the rules were loaded; null where nobody counts them. */
export type Hits = (kind: Kind, rule: AnyRule) => number | null;

/** Rules that are drawn at once. */
const SHOWN = 100;
const COLUMNS = 5;

const numbers = new Intl.NumberFormat("en-GB");

/** The rules of one kind: from where, to where, how often it was met, and whether it is on. */
export function RuleTable(
  { kind, rules, hits, findings, onOpen, onDone }: {
    kind: Kind;
    rules: readonly AnyRule[];
    hits: Hits;
    /** What of a rule is hardly meant. */
    findings: (kind: Kind, rule: AnyRule) => readonly Finding[];
    onOpen: (rule: AnyRule) => void;
    onDone: () => void;
  },
): VNode {
  const shown = useSignal(SHOWN);
  return (
    <>
      <table class="tbl rules" role="table" aria-label={kind.title} onKeyDown={walk}>
        <thead role="rowgroup">
          <tr role="row">
            <th scope="col" role="columnheader" class="c-name">Name</th>
            <th scope="col" role="columnheader" class="c-from">From</th>
            <th scope="col" role="columnheader" class="c-to">To</th>
            <th scope="col" role="columnheader" class="c-hits num">Hits</th>
            <th scope="col" role="columnheader" class="c-on num">On</th>
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rules.slice(0, shown.value).map((rule) => (
            <Fragment key={kind.key(rule)}>
              <Row
                kind={kind}
                rule={rule}
                hits={hits(kind, rule)}
                onOpen={() => onOpen(rule)}
                onDone={onDone}
              />
              {findings(kind, rule).map((finding, index) => (
                <FindingRow key={index} finding={finding} columns={COLUMNS} onDone={onDone} />
              ))}
            </Fragment>
          ))}
        </tbody>
      </table>
      {rules.length > shown.value && (
        <footer>
          <button class="btn small" type="button" onClick={() => shown.value += SHOWN}>
            {numbers.format(rules.length - shown.value)} more
          </button>
        </footer>
      )}
    </>
  );
}

function Met({ hits }: { hits: number | null }): VNode {
  if (hits === null) return <span class="quiet">not known</span>;
  return (
    <>
      {hits === 0 ? <span class="quiet">not used</span> : numbers.format(hits)}
      <span class="vh">since the rules were loaded</span>
    </>
  );
}

/** How often a rule was met, as a sentence; null where nobody counts. */
export function metWords(hits: number | null): string | null {
  if (hits === null) return null;
  if (hits === 0) return "Not used since the rules were loaded";
  return `${numbers.format(hits)} ${hits === 1 ? "packet" : "packets"} since the rules were loaded`;
}

function Row(
  { kind, rule, hits, onOpen, onDone }: {
    kind: Kind;
    rule: AnyRule;
    hits: number | null;
    onOpen: () => void;
    onDone: () => void;
  },
): VNode {
  const words = kind.words(rule);
  const off = isOff(rule);
  return (
    <tr class={off ? "off" : ""} role="row">
      <td class="c-name" role="cell">
        <div class="who">
          <span class={off ? "quiet" : kind.tone}>
            <Icon name={kind.icon} small />
          </span>
          <button class="link" type="button" data-row onClick={onOpen}>
            <Name>{words.name}</Name>
          </button>
        </div>
      </td>
      <td class="c-from soft" role="cell">
        <Name>{words.from}</Name>
      </td>
      <td class="c-to soft" role="cell">
        <Name>{words.to}</Name>
      </td>
      <td class="c-hits num" role="cell">
        <Met hits={hits} />
      </td>
      <td class="c-on num" role="cell">
        {"Disabled" in rule
          ? (
            <Switch
              label={`${words.name} is on`}
              on={!off}
              onFlip={() => openPreview(switchRule(kind, rule, off, onDone))}
            />
          )
          : <span class="quiet">always</span>}
      </td>
    </tr>
  );
}
