import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { Fault } from "../../parts/form/fault.tsx";
import { Icon } from "../../parts/show/icon.tsx";
import { Loading } from "../../parts/load/loading.tsx";
import { FilterBar } from "../../parts/table/filter_bar.tsx";
import { changeEvents, devices } from "../../state/store.ts";
import { PageHead, type PageProps } from "../../parts/show/page_head.tsx";
import { useLoaded } from "../../parts/load/use_loaded.ts";
import { usePulse } from "../../parts/load/use_pulse.ts";
import { type Findings, useFindings } from "./findings.ts";
import { type Editing, RuleForm } from "./form.tsx";
import { isOff, type Kind, kindOf, KINDS } from "./kinds.ts";
import { type Line, linesOf, usesOf } from "./lines.ts";
import { type Hits, RuleTable } from "./table.tsx";
import type { Firewall, RuleCounter } from "./wire.ts";
import { openPreview } from "../../actions/action.ts";
import { Switch } from "../../parts/form/switch.tsx";
import { switchPing } from "./actions.ts";
import { t, tn } from "../../text/language.ts";
import { inSentence } from "../../text/format.ts";

/** Shows the rules that something was found about, in the place of a kind. */
const ODD = "odd";
/** Milliseconds between two loads of the counters. */
const COUNT_EVERY = 30_000;

/** All rules besides policies and groups, of all kinds in one table, each with its way to a form. */
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
  const lines = useMemo(
    () => firewall === null ? [] : KINDS.flatMap((kind) => linesOf(kind, firewall)),
    [firewall],
  );
  const create = (kind: Kind): void => void (editing.value = { kind, line: null });
  return (
    <>
      <PageHead
        title={title}
        note={firewall === null ? t("Port forwarding, blocks and open ports") : summary(lines)}
      >
        <button
          class="btn primary"
          type="button"
          onClick={() => create(only ?? KINDS[0] as Kind)}
        >
          <Icon name="plus" small />
          {t("New rule")}
        </button>
      </PageHead>
      {firewall === null
        ? loaded.problem === null
          ? <Loading what={t("rules")} />
          : <Fault title={t("The rules could not be loaded.")}>{loaded.problem.message}</Fault>
        : (
          <>
            <Tools
              lines={lines}
              text={text}
              only={only}
              odd={odd}
              findings={findings}
              onGo={go}
            />
            <Rules
              firewall={firewall}
              lines={lines}
              text={text}
              only={only}
              odd={odd}
              findings={findings}
              hits={hits}
              onOpen={(line) => editing.value = { kind: line.kind, line }}
              onNew={create}
              onDone={loaded.reload}
            />
          </>
        )}
      {editing.value !== null && firewall !== null && (
        <RuleForm
          key={`${editing.value.kind.path} ${editing.value.line === null} ${
            editing.value.copyOf !== undefined
          }`}
          editing={editing.value}
          firewall={firewall}
          hits={hits}
          onEdit={(next) => editing.value = next}
          onClose={() => editing.value = null}
          onDone={loaded.reload}
        />
      )}
    </>
  );
}

function summary(lines: readonly Line[]): string {
  const off = lines.filter(({ rule }) => isOff(rule)).length;
  const idle = off === 0 ? "" : t(", {off} disabled", { off });
  return `${tn("{count} rule", "{count} rules", lines.length)}${idle}`;
}

function hitsBy(counters: readonly RuleCounter[]): Hits {
  const known = new Map(counters.map((one) => [`${one.kind} ${one.rule}`, one]));
  return (line) => usesOf(line, known);
}

function Tools(
  { lines, text, only, odd, findings, onGo }: {
    lines: readonly Line[];
    text: string;
    only: Kind | undefined;
    odd: boolean;
    findings: Findings;
    onGo: (next: { q?: string; show?: string }) => void;
  },
): VNode {
  const facets = [
    { name: "", word: t("All"), number: lines.length },
    ...(odd || findings.rules > 0
      ? [{ name: ODD, word: t("Possible problems"), number: findings.rules }]
      : []),
    ...KINDS.map((kind) => ({
      name: kind.path,
      word: kind.title,
      number: lines.filter((line) => line.kind === kind).length,
    })),
  ];
  const chosen = odd ? ODD : only?.path ?? "";
  return (
    <FilterBar
      label={t("Filter rules")}
      hint={t("Device, address, port, name")}
      text={text}
      onText={(q) => onGo({ q })}
      facets={facets.filter(({ name, number }) => number > 0 || name === "" || name === chosen)}
      chosen={chosen}
      onFacet={(show) => onGo({ show })}
    />
  );
}

function Rules(
  { firewall, lines, text, only, odd, findings, hits, onOpen, onNew, onDone }: {
    firewall: Firewall;
    lines: readonly Line[];
    text: string;
    only: Kind | undefined;
    odd: boolean;
    findings: Findings;
    hits: Hits;
    onOpen: (line: Line) => void;
    onNew: (kind: Kind) => void;
    onDone: () => void;
  },
): VNode {
  const known = devices.value;
  const shown = useMemo(
    () =>
      found(lines, text).filter((line) =>
        (only === undefined || line.kind === only) && (!odd || findings.of(line).length > 0)
      ),
    [lines, text, only, known, odd && findings],
  );
  return (
    <div class="stack">
      {findings.problem !== null && (
        <Fault warning title={t("Possible problems could not be checked.")}>
          {findings.problem.message}
        </Fault>
      )}
      {shown.length > 0
        ? (
          <section class="panel bleed" aria-label={t("Rules")}>
            {only !== undefined && <p class="pad s quiet">{only.help}</p>}
            <RuleTable
              lines={shown}
              view={`${text}\n${only?.path ?? ""}\n${odd}`}
              hits={hits}
              findings={findings.of}
              onOpen={onOpen}
              onDone={onDone}
            />
          </section>
        )
        : text !== ""
        ? (
          <div class="panel empty">
            <Icon name="search" />
            <h2>{t("No matches")}</h2>
            <p class="s soft">
              {only
                ? t("No rule matches “{text}” among {title}.", {
                  text,
                  title: inSentence(only.title),
                })
                : t("No rule matches “{text}” in any type.", { text })}
            </p>
          </div>
        )
        : odd
        ? findings.problem === null && (
          <div class="panel empty">
            <Icon name="gate" />
            <h2>{t("No problems found")}</h2>
            <p class="s soft">{t("No rule is redundant, hidden or conflicting.")}</p>
          </div>
        )
        : <NoRules kind={only ?? KINDS[0] as Kind} onNew={onNew} />}
      {odd && findings.more > 0 && (
        <p class="s quiet">
          {tn(
            "And {count} more problem not listed.",
            "And {count} more problems not listed.",
            findings.more,
          )}
        </p>
      )}
      {only === undefined && !odd && text === "" && <Ping firewall={firewall} onDone={onDone} />}
    </div>
  );
}

function found(lines: readonly Line[], text: string): readonly Line[] {
  const wanted = text.trim().toLowerCase().split(/\s+/).filter((word) => word !== "");
  if (wanted.length === 0) return lines;
  return lines.filter(({ kind, rule }) => {
    const { name, from, to, service } = kind.text(rule);
    const all = `${kind.title} ${name} ${from} ${to} ${service} ${JSON.stringify(rule)}`
      .toLowerCase();
    return wanted.every((word) => all.includes(word));
  });
}

function NoRules({ kind, onNew }: { kind: Kind; onNew: (kind: Kind) => void }): VNode {
  return (
    <div class="panel empty">
      <Icon name={kind.icon} />
      <h2>{t("None yet")}</h2>
      <p class="s soft">
        {t("{help}. Access follows policies and groups only.", { help: kind.help })}
      </p>
      <button class="btn" type="button" onClick={() => onNew(kind)}>
        {kind.fresh}
      </button>
    </div>
  );
}

const SIDES = [
  ["PingLan", t("Answer ping on LAN"), t("Devices can ping this router")],
  ["PingWan", t("Answer ping on WAN"), t("The Internet can ping this router")],
] as const;

/** Whether the router answers pings. */
function Ping({ firewall, onDone }: { firewall: Firewall; onDone: () => void }): VNode {
  return (
    <section class="panel" aria-labelledby="ping">
      <header>
        <h2 id="ping">{t("Ping")}</h2>
        <span class="note">{t("of this router")}</span>
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
