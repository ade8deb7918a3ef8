import type { VNode } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { Fault } from "../../parts/fault.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Loading } from "../../parts/loading.tsx";
import { devices, loadProblem } from "../../store.ts";
import type { Device } from "../../wire.ts";
import { count } from "../../words.ts";
import { useTitle } from "../page_title.ts";
import { culprits, type Facet, FACETS, inFacet, matches, parseFilter } from "./filter.ts";
import { type Column, type Entry, parseSort, sortEntries, sortText, steady } from "./order.ts";
import { DeviceTable } from "./table.tsx";

const SORT_KEY = "sluice.devices.sort";
const TICK = 30_000;

/** Every device, who waits for a person on top. */
export default function DevicesPage(): VNode {
  useTitle("Devices");
  const all = devices.value;
  return (
    <>
      <div class="head">
        <div>
          <h1>Devices</h1>
        </div>
      </div>
      {all !== null
        ? <List all={all} />
        : loadProblem.value !== null
        ? <Fault title="The devices could not be loaded.">{loadProblem.value}</Fault>
        : (
          <div class="panel bleed">
            <Loading what="devices" />
          </div>
        )}
    </>
  );
}

function List({ all }: { all: Readonly<Record<string, Device>> }): VNode {
  const { query, route } = useLocation();
  const text = query["q"] ?? "";
  const facet = FACETS.find(([name]) => name === query["show"])?.[0] ?? "all";
  const [sort, setSort] = useState(() => parseSort(localStorage.getItem(SORT_KEY)));
  const now = useNow();
  const field = useSlash();

  function go(next: { q?: string; show?: Facet }): void {
    const search = new URLSearchParams();
    const { q, show } = { q: text, show: facet, ...next };
    if (q !== "") search.set("q", q);
    if (show !== "all") search.set("show", show);
    const tail = search.toString();
    route(tail === "" ? "/admin/devices" : `/admin/devices?${tail}`, true);
  }

  function sortBy(column: Column): void {
    const next = { column, down: sort.column === column && !sort.down };
    localStorage.setItem(SORT_KEY, sortText(next));
    setSort(next);
  }

  const entries = useMemo(() => Object.entries(all), [all]);
  const terms = useMemo(() => parseFilter(text), [text]);
  const wanted = useMemo(() => {
    const shown = entries.filter(([identity, device]) =>
      inFacet(device, facet) && matches(identity, device, terms)
    );
    return sortEntries(shown, sort);
  }, [entries, terms, facet, sort]);
  const { rows, moved, resort } = useSteady(wanted, `${text}\n${facet}\n${sortText(sort)}`);

  if (entries.length === 0) return <NoDevices />;
  return (
    <>
      <div class="tools">
        <div class="filter" role="search">
          <Icon name="search" />
          <input
            ref={field}
            type="search"
            aria-label="Filter devices"
            aria-keyshortcuts="/"
            placeholder="Name, address, group:kids, offline, policy:internet"
            value={text}
            onInput={(event) => go({ q: event.currentTarget.value })}
            onKeyDown={(event) => {
              if (event.key === "Escape" && text !== "") go({ q: "" });
              if (event.key === "ArrowDown") {
                event.preventDefault();
                document.querySelector<HTMLElement>("[data-row]")?.focus();
              }
            }}
          />
          <kbd>/</kbd>
        </div>
        <div class="facets" role="group" aria-label="Show">
          {FACETS.map(([name, word]) => {
            const number = entries.filter(([, device]) => inFacet(device, name)).length;
            if (name === "waiting" && number === 0 && facet !== name) return null;
            return (
              <button
                key={name}
                type="button"
                class={name === "waiting" ? "heed" : ""}
                aria-pressed={facet === name}
                onClick={() => go({ show: name })}
              >
                {word} <b>{number}</b>
              </button>
            );
          })}
        </div>
      </div>
      {moved > 0 && (
        <button class="btn small resort" type="button" onClick={resort}>
          {count(moved, "row")} moved, sort again
        </button>
      )}
      <div class="panel bleed">
        {rows.length > 0
          ? <DeviceTable entries={rows} sort={sort} onSort={sortBy} now={now} />
          : <NothingFound entries={entries} text={text} facet={facet} onGo={go} />}
      </div>
    </>
  );
}

/** Keeps rows in their place while the world changes, until they are sorted anew. */
function useSteady(
  wanted: readonly Entry[],
  key: string,
): { rows: readonly Entry[]; moved: number; resort: () => void } {
  const last = useRef<{ key: string; order: readonly string[] }>({ key: "", order: [] });
  const [, draw] = useState(0);
  const ids = wanted.map(([identity]) => identity);
  const { order, moved } = last.current.key === key
    ? steady(last.current.order, ids)
    : { order: ids, moved: 0 };
  last.current = { key, order };
  const byId = new Map(wanted);
  const rows = order.map((identity): Entry => [identity, byId.get(identity) as Device]);
  const resort = () => {
    last.current = { key, order: ids };
    draw((n) => n + 1);
  };
  return { rows, moved, resort };
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

/** `/` goes to the filter from anywhere that is not a field. */
function useSlash(): { current: HTMLInputElement | null } {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const place = event.target as HTMLElement;
      if (event.key !== "/" || place.closest("input, textarea, select, dialog") !== null) return;
      event.preventDefault();
      field.current?.focus();
      field.current?.select();
    };
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, []);
  return field;
}

function NothingFound(
  { entries, text, facet, onGo }: {
    entries: readonly Entry[];
    text: string;
    facet: Facet;
    onGo: (next: { q?: string; show?: Facet }) => void;
  },
): VNode {
  const terms = parseFilter(text);
  const inside = entries.filter(([, device]) => inFacet(device, facet));
  const drop = culprits(terms, inside);
  return (
    <div class="empty">
      <Icon name="search" />
      <h2>No device is like that</h2>
      {facet !== "all" && (
        <button
          class="btn small"
          type="button"
          onClick={() => onGo({ show: "all" })}
        >
          Look among all devices
        </button>
      )}
      {drop.map((term) => (
        <button
          key={term.text}
          class="btn small"
          type="button"
          onClick={() =>
            onGo({ q: terms.filter((other) => other !== term).map(({ text }) => text).join(" ") })}
        >
          Drop “{term.text}”
        </button>
      ))}
      {text !== "" && (
        <button class="btn small" type="button" onClick={() => onGo({ q: "" })}>
          Empty the filter
        </button>
      )}
    </div>
  );
}

function NoDevices(): VNode {
  return (
    <div class="panel empty">
      <Icon name="devices" />
      <h2>No device has joined yet</h2>
      <p class="s soft">
        Each device that asks this router for an address appears here by itself and waits for you.
        Until you give it something, it can do nothing.
      </p>
    </div>
  );
}
