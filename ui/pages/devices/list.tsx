import type { VNode } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { existing, type Selection } from "../../parts/table/selection.ts";
import { FilterBar } from "../../parts/table/filter_bar.tsx";
import { Table } from "../../parts/table/table.tsx";
import type { Device } from "../../wire.ts";
import { isPendingApproval, nameOf, stateOf } from "../../text/format.ts";
import { BulkBar } from "./bulk_bar.tsx";
import { useClassifications } from "./classifications.tsx";
import { ColumnPicker, shownColumns } from "./column_picker.tsx";
import type { Entry } from "./columns.tsx";
import { type Facet, FACETS, inFacet, matches, parseFilter } from "./filter.ts";
import { NothingFound } from "./no_matches.tsx";
import { seenText } from "./last_seen.ts";
import { signalOf, trafficOf, useUsage } from "./usage.ts";
import { t } from "../../text/language.ts";

const NONE: Selection = new Set();
/** Milliseconds between two updates of the ages in the list. */
const TICK = 30_000;

/** Filter, facets and the table of devices, with what can be done to several at once. */
export function DeviceList({ all }: { all: Readonly<Record<string, Device>> }): VNode {
  const { query, route } = useLocation();
  const text = query["q"] ?? "";
  const facet = FACETS.find(([name]) => name === query["show"])?.[0] ?? "all";
  const [choice, setChoice] = useState(NONE);
  const now = useNow();
  useClassifications(Object.keys(all).length);
  const columns = shownColumns();
  const has = (name: string) => columns.some((column) => column.name === name);
  useUsage({ traffic: has("down") || has("up"), signals: has("signal") });
  useEffect(() => setChoice((chosen) => existing(chosen, all)), [all]);

  function go(next: { q?: string; show?: Facet }): void {
    const search = new URLSearchParams();
    const { q, show } = { q: text, show: facet, ...next };
    if (q !== "") search.set("q", q);
    if (show !== "all") search.set("show", show);
    const tail = search.toString();
    route(tail === "" ? "/admin/devices" : `/admin/devices?${tail}`, true);
  }

  const entries = useMemo(() => entriesOf(all), [all]);
  const facets = useMemo(
    () =>
      FACETS.map(([name, word]) => ({
        name,
        word,
        number: entries.filter(([, device]) => inFacet(device, name)).length,
        warning: name === "pending",
      })).filter(({ name, number, warning }) => !warning || number > 0 || facet === name),
    [entries, facet],
  );
  const rows = useMemo(() => {
    const terms = parseFilter(text);
    return entries.filter(([identity, device]) =>
      inFacet(device, facet) && matches(identity, device, terms)
    );
  }, [entries, text, facet]);

  return (
    <>
      <FilterBar
        label={t("Search devices")}
        hint={t("Name, address, group:kids, offline, policy:internet")}
        text={text}
        onText={(q) => go({ q })}
        facets={facets}
        chosen={facet}
        onFacet={(name) => go({ show: name as Facet })}
      >
        <ColumnPicker />
      </FilterBar>
      <div class={choice.size > 0 ? "panel bleed choosing" : "panel bleed"}>
        {choice.size > 0 && <BulkBar choice={choice} onChoice={setChoice} />}
        {rows.length > 0
          ? (
            <Table
              label={t("Devices")}
              columns={columns}
              rows={rows}
              keyOf={([identity]) => identity}
              remember="sluice.devices.sort"
              start={{ column: "name", down: false }}
              first={([, device]) => isPendingApproval(device)}
              view={`${text}\n${facet}`}
              tone={toneOf}
              stamp={([, device]) =>
                `${seenText(device, now)} ${signalOf(device)} ${trafficOf(device)?.down} ${
                  trafficOf(device)?.up
                }`}
              choice={choice}
              onChoice={setChoice}
              nameOf={(entry) => nameOf(...entry)}
              isStateless
            />
          )
          : <NothingFound entries={entries} text={text} facet={facet} onGo={go} />}
      </div>
    </>
  );
}

const known = new WeakMap<Device, Entry>();

/** Devices with their identities; one that says the same stays the same entry. */
function entriesOf(all: Readonly<Record<string, Device>>): readonly Entry[] {
  return Object.entries(all).map((entry) => {
    const old = known.get(entry[1]);
    if (old !== undefined) return old;
    known.set(entry[1], entry);
    return entry;
  });
}

function toneOf([, device]: Entry): string {
  const state = stateOf(device);
  return state === "pending" ? "wait" : state === "offline" ? "off" : "";
}

/** The time, as far as ages in a table need it. */
function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK);
    return () => clearInterval(timer);
  }, []);
  return now;
}
