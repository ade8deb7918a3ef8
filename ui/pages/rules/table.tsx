import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { openPreview } from "../../act.ts";
import { Icon } from "../../parts/icon.tsx";
import { Name } from "../../parts/name.tsx";
import { Switch } from "../../parts/switch.tsx";
import { walk } from "../devices/table.tsx";
import { switchRule } from "./acts.ts";
import { isOff, type Kind } from "./kinds.ts";
import type { AnyRule } from "./wire.ts";

/** Rules that are drawn at once. */
const SHOWN = 100;

const numbers = new Intl.NumberFormat("en-GB");

/** The rules of one kind: from where, to where, how often it was met, and whether it is on. */
export function RuleTable(
  { kind, rules, hits, onOpen, onDone }: {
    kind: Kind;
    rules: readonly AnyRule[];
    /** Packets that met a rule; null where nobody counts them. */
    hits: (kind: Kind, rule: AnyRule) => number | null;
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
            <Row
              key={kind.key(rule)}
              kind={kind}
              rule={rule}
              hits={hits(kind, rule)}
              onOpen={() => onOpen(rule)}
              onDone={onDone}
            />
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
        {hits === null ? <span class="quiet">not known</span> : numbers.format(hits)}
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
