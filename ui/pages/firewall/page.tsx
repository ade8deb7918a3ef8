import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { Fault } from "../../parts/form/fault.tsx";
import { Icon } from "../../parts/show/icon.tsx";
import { Loading } from "../../parts/load/loading.tsx";
import { FilterBar } from "../../parts/table/filter_bar.tsx";
import { changeEvents, devices } from "../../state/store.ts";
import { count } from "../../text/format.ts";
import { PageHead, type PageProps } from "../../parts/show/page_head.tsx";
import { useLoaded } from "../../parts/load/use_loaded.ts";
import { usePulse } from "../../parts/load/use_pulse.ts";
import { type Findings, useFindings } from "./findings.ts";
import { type Editing, RuleForm } from "./form.tsx";
import { isOff, type Kind, kindOf, KINDS, rulesOf } from "./kinds.ts";
import { type Hits, RuleTable } from "./table.tsx";
import type { AnyRule, Firewall, RuleCounter } from "./wire.ts";
import { openPreview } from "../../actions/action.ts";
import { Switch } from "../../parts/form/switch.tsx";
import { switchPing } from "./actions.ts";

/** Shows the rules that something was found about, in the place of a kind. */
const ODD = "odd";
/** Milliseconds between two loads of the counters. */
const COUNT_EVERY = 30_000;

/** All rules besides policies and groups, by kind, each with its way to a form. */
export default function RulesPage({ title }: PageProps): VNode {
  const { query, route } = useLocation();
  const loaded = useLoaded<Firewall>({ path: "/firewall/config" }, [changeEvents.value]);
  const counters = useLoaded<readonly RuleCounter[]>({ path: "/firewall/counters" }, [
    changeEvents.value,
    usePulse(COUNT_EVERY),
  ]);
  const editing = useSignal<Editing | null>(null);
  const firewall = loaded.body;
  const text = query["q"] ?? "";
  const only = kindOf(query["show"]);
  const odd = query["show"] === ODD;
  const findings = useFindings(firewall);

  function go(next: { q?: string; show?: string }): void {
    const { q, show } = { q: text, show: odd ? ODD : only?.path ?? "", ...next };
    const search = new URLSearchParams();
    if (q !== "") search.set("q", q);
    if (show !== "") search.set("show", show);
    route(`/admin/firewall${search.size > 0 ? `?${search}` : ""}`, true);
  }

  const hits = useMemo(() => hitsBy(counters.body ?? []), [counters.body]);
  const open = (kind: Kind, rule: AnyRule | null): void => void (editing.value = { kind, rule });
  return (
    <>
      <PageHead
        title={title}
        note={firewall === null ? "Port forwarding, blocks and open ports" : summary(firewall)}
      >
        <button
          class="btn primary"
          type="button"
          onClick={() => open(only ?? KINDS[0] as Kind, null)}
        >
          <Icon name="plus" small />
          New rule
        </button>
      </PageHead>
      {firewall === null
        ? loaded.problem === null
          ? <Loading what="rules" />
          : <Fault title="The rules could not be loaded.">{loaded.problem.message}</Fault>
        : (
          <>
            <Tools
              firewall={firewall}
              text={text}
              only={only}
              odd={odd}
              findings={findings}
              onGo={go}
            />
            <Lists
              firewall={firewall}
              text={text}
              only={only}
              odd={odd}
              findings={findings}
              hits={hits}
              onOpen={open}
              onDone={loaded.reload}
            />
          </>
        )}
      {editing.value !== null && (
        <RuleForm
          key={`${editing.value.kind.path} ${editing.value.rule === null} ${
            editing.value.copyOf !== undefined
          }`}
          editing={editing.value}
          hits={hits}
          onEdit={(next) => editing.value = next}
          onClose={() => editing.value = null}
          onDone={loaded.reload}
        />
      )}
    </>
  );
}

function summary(firewall: Firewall): string {
  const all = KINDS.flatMap((kind) => rulesOf(kind, firewall));
  const off = all.filter(isOff).length;
  const idle = off === 0 ? "" : `, ${off} disabled`;
  return `${count(all.length, "rule")}${idle}`;
}

function hitsBy(counters: readonly RuleCounter[]): Hits {
  const known = new Map(counters.map((one) => [`${one.kind} ${one.rule}`, one]));
  return (kind, rule) => known.get(`${kind.path} ${kind.key(rule)}`) ?? null;
}

function Tools(
  { firewall, text, only, odd, findings, onGo }: {
    firewall: Firewall;
    text: string;
    only: Kind | undefined;
    odd: boolean;
    findings: Findings;
    onGo: (next: { q?: string; show?: string }) => void;
  },
): VNode {
  const facets = [
    { name: "", word: "All", number: KINDS.flatMap((kind) => rulesOf(kind, firewall)).length },
    ...(odd || findings.rules > 0
      ? [{ name: ODD, word: "Possible problems", number: findings.rules }]
      : []),
    ...KINDS.map((kind) => ({
      name: kind.path,
      word: kind.title,
      number: rulesOf(kind, firewall).length,
    })),
  ];
  const chosen = odd ? ODD : only?.path ?? "";
  return (
    <FilterBar
      label="Filter rules"
      hint="Device, address, port, name"
      text={text}
      onText={(q) => onGo({ q })}
      facets={facets.filter(({ name, number }) => number > 0 || name === "" || name === chosen)}
      chosen={chosen}
      onFacet={(show) => onGo({ show })}
    />
  );
}

function Lists(
  { firewall, text, only, odd, findings, hits, onOpen, onDone }: {
    firewall: Firewall;
    text: string;
    only: Kind | undefined;
    odd: boolean;
    findings: Findings;
    hits: Hits;
    onOpen: (kind: Kind, rule: AnyRule | null) => void;
    onDone: () => void;
  },
): VNode {
  const known = devices.value;
  const lists = useMemo(() =>
    KINDS.filter((kind) => only === undefined || kind === only)
      .map((kind) => ({
        kind,
        rules: found(kind, firewall, text)
          .filter((rule) => !odd || findings.of(kind, rule).length > 0),
      })), [
    firewall,
    text,
    only,
    known,
    odd && findings,
  ]);
  const shown = lists.filter(({ kind, rules }) =>
    rules.length > 0 || (kind === only && text === "")
  );
  return (
    <div class="stack">
      {findings.problem !== null && (
        <Fault warning title="Possible problems could not be checked.">
          {findings.problem.message}
        </Fault>
      )}
      {shown.map(({ kind, rules }) => (
        <section key={kind.path} class="panel bleed" aria-labelledby={`kind-${kind.path}`}>
          <header>
            <h2 id={`kind-${kind.path}`}>{kind.title}</h2>
            <span class="note">{kind.help}</span>
          </header>
          {rules.length === 0
            ? (
              <NoRules
                kind={kind}
                onNew={() => onOpen(kind, null)}
              />
            )
            : (
              <RuleTable
                kind={kind}
                rules={rules}
                hits={hits}
                findings={findings.of}
                onOpen={(rule) => onOpen(kind, rule)}
                onDone={onDone}
              />
            )}
        </section>
      ))}
      {text !== "" && shown.length === 0 && (
        <div class="panel empty">
          <Icon name="search" />
          <h2>No matches</h2>
          <p class="s soft">
            No rule matches “{text}” {only ? `among ${only.title.toLowerCase()}` : "in any type"}.
          </p>
        </div>
      )}
      {odd && findings.more > 0 && (
        <p class="s quiet">And {count(findings.more, "more problem")} not listed.</p>
      )}
      {odd && text === "" && findings.problem === null && shown.length === 0 && (
        <div class="panel empty">
          <Icon name="gate" />
          <h2>No problems found</h2>
          <p class="s soft">No rule is redundant, hidden or conflicting.</p>
        </div>
      )}
      {only === undefined && !odd && text === "" && <Ping firewall={firewall} onDone={onDone} />}
    </div>
  );
}

function found(kind: Kind, firewall: Firewall, text: string): readonly AnyRule[] {
  const rules = rulesOf(kind, firewall);
  const wanted = text.trim().toLowerCase().split(/\s+/).filter((word) => word !== "");
  if (wanted.length === 0) return rules;
  return rules.filter((rule) => {
    const { name, from, to } = kind.text(rule);
    const all = `${kind.title} ${name} ${from} ${to} ${JSON.stringify(rule)}`.toLowerCase();
    return wanted.every((word) => all.includes(word));
  });
}

function NoRules({ kind, onNew }: { kind: Kind; onNew: () => void }): VNode {
  return (
    <div class="empty">
      <Icon name={kind.icon} />
      <h3>None yet</h3>
      <p class="s soft">{kind.help}. Access follows policies and groups only.</p>
      <button class="btn" type="button" onClick={onNew}>New {kind.one}</button>
    </div>
  );
}

const SIDES = [
  ["PingLan", "Answer ping on LAN", "Devices can ping this router"],
  ["PingWan", "Answer ping on WAN", "The Internet can ping this router"],
] as const;

/** Whether the router answers pings. */
function Ping({ firewall, onDone }: { firewall: Firewall; onDone: () => void }): VNode {
  return (
    <section class="panel" aria-labelledby="ping">
      <header>
        <h2 id="ping">Ping</h2>
        <span class="note">of this router</span>
      </header>
      <ul class="setting-list">
        {SIDES.map(([side, label, help]) => (
          <li key={side}>
            <div>
              <b>{label}</b>
              <p>{help}</p>
            </div>
            <Switch
              label={label}
              on={firewall[side]}
              onFlip={() => openPreview(switchPing(firewall, side, onDone))}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}
