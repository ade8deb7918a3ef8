import type { VNode } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { Icon } from "../../parts/icon.tsx";
import type { Device } from "../../wire.ts";
import { count } from "../../words.ts";
import { BulkBar } from "./bulk_bar.tsx";
import { type Choice, existing } from "./choice.ts";
import { type Facet, FACETS, inFacet, matches, parseFilter } from "./filter.ts";
import { useGrowing, useNow, useSlash, useSteady } from "./list_state.ts";
import { NothingFound } from "./nothing_found.tsx";
import { type Column, parseSort, sortEntries, sortText } from "./order.ts";
import { DeviceTable } from "./table.tsx";

const SORT_KEY = "sluice.devices.sort";
const NONE: Choice = new Set();

/** Filter, facets and the table of devices, with what can be done to several at once. */
export function DeviceList({ all }: { all: Readonly<Record<string, Device>> }): VNode {
  const { query, route } = useLocation();
  const text = query["q"] ?? "";
  const facet = FACETS.find(([name]) => name === query["show"])?.[0] ?? "all";
  const [sort, setSort] = useState(() => parseSort(localStorage.getItem(SORT_KEY)));
  const [choice, setChoice] = useState(NONE);
  const now = useNow();
  const field = useSlash();
  useEffect(() => setChoice((chosen) => existing(chosen, all)), [all]);

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
  const counts = useMemo(
    () =>
      new Map(FACETS.map(([name]) => [
        name,
        entries.filter(([, device]) => inFacet(device, name)).length,
      ])),
    [entries],
  );
  const terms = useMemo(() => parseFilter(text), [text]);
  const sorted = useMemo(() => sortEntries(entries, sort), [entries, sort]);
  const wanted = useMemo(
    () =>
      sorted.filter(([identity, device]) =>
        inFacet(device, facet) && matches(identity, device, terms)
      ),
    [sorted, terms, facet],
  );
  const { rows, moved, resort } = useSteady(wanted, `${text}\n${facet}\n${sortText(sort)}`);

  const limit = useGrowing(rows.length);

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
            const number = counts.get(name) ?? 0;
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
      <div class={choice.size > 0 ? "panel bleed choosing" : "panel bleed"}>
        {choice.size > 0 && <BulkBar choice={choice} onChoice={setChoice} />}
        {rows.length > 0
          ? (
            <DeviceTable
              entries={limit < rows.length ? rows.slice(0, limit) : rows}
              sort={sort}
              onSort={sortBy}
              now={now}
              choice={choice}
              onChoice={setChoice}
            />
          )
          : <NothingFound entries={entries} text={text} facet={facet} onGo={go} />}
      </div>
    </>
  );
}
