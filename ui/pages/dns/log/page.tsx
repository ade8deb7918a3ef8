import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { Chart } from "../../../parts/chart/chart.tsx";
import { Fault } from "../../../parts/form/fault.tsx";
import { Loading } from "../../../parts/load/loading.tsx";
import { Switch } from "../../../parts/form/switch.tsx";
import { FilterBar } from "../../../parts/table/filter_bar.tsx";
import { Table } from "../../../parts/table/table.tsx";
import { changeEvents, devices } from "../../../state/store.ts";
import { numberText } from "../../../text/format.ts";
import { PageHead, type PageProps } from "../../../parts/show/page_head.tsx";
import { useLoaded } from "../../../parts/load/use_loaded.ts";
import { usePulse } from "../../../parts/load/use_pulse.ts";
import { clientChoices } from "./clients.ts";
import { EntryDialog } from "./entry_dialog.tsx";
import { logColumns } from "./columns.tsx";
import { applyOrPreview } from "../../../actions/apply.ts";
import { loadOnPress } from "../../../parts/load/lazy.tsx";
import { failureText } from "../../../api/problem.ts";
import { say } from "../../../state/toast.ts";
import { decideEntry } from "./actions.ts";
import { facetCount, FACETS, queriesOverTime } from "./counts.ts";
import { addressOf, askOf, filterOf, type LogFilter } from "./filter.ts";
import { useLog } from "./use_log.ts";
import { LOG_SETTINGS } from "./actions.ts";
import type { LogEntry, LogSettings, LogState } from "../wire.ts";
import { t, tn } from "../../../text/language.ts";
import "../../../styles/pages/dns.css";

/** Milliseconds between two looks at the counts. */
const COUNT_EVERY = 15_000;
/** Number of bars of a day: one for every half an hour. */
const PERIODS = 48;

/** The query log, live. */
export default function DnsLogPage({ title }: PageProps): VNode {
  const { query, route } = useLocation();
  const filter = filterOf(query);
  const follows = useSignal(false);
  const open = useSignal<LogEntry | null>(null);
  const log = useLog(filter, follows.value);
  const pulse = usePulse(COUNT_EVERY);
  const day = useLoaded<LogState>({
    path: "/plugins/dns/log/status",
    query: {
      periods: String(PERIODS),
      ...(filter.client === "" ? {} : { client: filter.client }),
    },
  }, [filter.client, pulse, changeEvents.value]);
  const columns = useMemo(
    () =>
      logColumns(devices.value, {
        open: (entry) => open.value = entry,
        decide: (entry, type) => void decide(entry, type),
      }),
    [devices.value],
  );
  const go = (part: Partial<LogFilter>): void => route(addressOf({ ...filter, ...part }), true);
  const counts = day.body?.counts ?? {};
  return (
    <>
      <PageHead
        title={title}
        note={day.body === null ? t("DNS queries of your devices") : tn(
          "{count} query in 24 h, {facetCount} blocked",
          "{count} queries in 24 h, {facetCount} blocked",
          facetCount("all", counts),
          { facetCount: numberText(facetCount("blocked", counts)) },
        )}
      >
        <span class="row follow">
          <button class="btn" type="button" onClick={() => void keep(filter)}>{t("Export")}</button>
          <span id="follow-words">{t("Live")}</span>
          <Switch
            label={t("Live")}
            on={follows.value}
            onFlip={() => follows.value = !follows.value}
          />
        </span>
      </PageHead>
      <FilterBar
        label={t("Filter by domain")}
        hint={t("Search domain")}
        text={filter.name}
        onText={(name) => go({ name })}
        facets={FACETS.map(({ name, word }) => ({
          name,
          word,
          number: day.body === null ? null : facetCount(name, counts),
        }))}
        chosen={filter.facet}
        onFacet={(facet) => go({ facet })}
      >
        <Who client={filter.client} onClient={(client) => go({ client })} />
      </FilterBar>
      {day.body !== null && <OverTime day={day.body} />}
      {log.waiting > 0 && (
        <button class="btn small resort" type="button" onClick={log.showNew}>
          {log.waiting === 1
            ? tn("{count} new query, show it", "{count} new queries, show it", log.waiting)
            : tn("{count} new query, show them", "{count} new queries, show them", log.waiting)}
        </button>
      )}
      {log.problem !== null && (
        <Fault warning title={t("The query log could not be loaded.")}>{log.problem.message}</Fault>
      )}
      {(log.entries !== null || log.problem === null) && (
        <section class="panel bleed" aria-label={t("Queries")}>
          {log.entries === null ? <Loading what={t("the log")} /> : log.entries.length === 0
            ? (
              <Nothing
                filter={filter}
                onClear={() => route("/admin/dns", true)}
              />
            )
            : (
              <Table
                label={t("Queries")}
                columns={columns}
                rows={log.entries}
                keyOf={(entry) => String(entry.id)}
                remember="sort:query-log"
                view={`${JSON.stringify(askOf(filter))} ${log.turn}`}
                isStateless
              />
            )}
          {log.more && (
            <footer>
              <button class="btn small" type="button" onClick={log.loadMore}>{t("Older")}</button>
            </footer>
          )}
        </section>
      )}
      {open.value !== null && <EntryDialog entry={open.value} onClose={() => open.value = null} />}
    </>
  );
}

/** Makes a permanent rule for the device that sent a query; it can be undone. */
async function decide(entry: LogEntry, type: "permit" | "block"): Promise<void> {
  try {
    await applyOrPreview(decideEntry(entry, type, devices.peek()));
  } catch (error) {
    say({ text: failureText(error, (text) => t("No rule was made. {text}", { text })) });
  }
}

/** Exports what the filter shows. */
async function keep(filter: LogFilter): Promise<void> {
  say({ text: t("Exporting the queries shown.") });
  try {
    const { exportLog } = await loadOnPress(() => import("./export.ts"));
    const kept = await exportLog(filter, devices.peek());
    const text = tn("{count} query", "{count} queries", kept.count);
    say({
      text: kept.more
        ? t("Exported the latest {text}.", { text })
        : t("Exported {text}.", { text }),
    });
  } catch (error) {
    say({ text: failureText(error, (text) => t("Nothing was exported. {text}", { text })) });
  }
}

/** The client whose queries are shown. */
function Who(
  { client, onClient }: { client: string; onClient: (client: string) => void },
): VNode {
  const known = clientChoices();
  const strange = client !== "" && !known.some(([address]) => address === client);
  return (
    <select
      class="select client-select"
      aria-label={t("Device")}
      value={client}
      onChange={(event) => onClient(event.currentTarget.value)}
    >
      <option value="">{t("All devices")}</option>
      {strange && <option value={client}>{client}</option>}
      {known.map(([address, name]) => <option key={address} value={address}>{name}</option>)}
    </select>
  );
}

function Nothing({ filter, onClear }: { filter: LogFilter; onClear: () => void }): VNode {
  const settings = useLoaded<LogSettings>({ path: LOG_SETTINGS }, [changeEvents.value]);
  const narrowed = filter.name !== "" || filter.client !== "" || filter.facet !== "all";
  const kept = settings.body?.StoreLocalMemory !== false;
  return (
    <div class="empty">
      <h2>
        {!kept
          ? t("Query logging is off")
          : narrowed
          ? t("No matching queries")
          : t("No queries yet")}
      </h2>
      <p class="soft">
        {!kept
          ? t("New queries appear here live until you leave this page.")
          : narrowed
          ? t("Remove part of the filter to see more.")
          : t("Queries that devices send to this router appear here.")}
      </p>
      {narrowed
        ? <button class="btn" type="button" onClick={onClear}>{t("Clear filters")}</button>
        : !kept && <a class="btn" href="/admin/dns/settings">{t("Log settings")}</a>}
    </div>
  );
}

/** The queries of a day over time, by what became of them. */
function OverTime({ day }: { day: LogState }): VNode | null {
  if (day.series.length === 0) return null;
  return (
    <section class="panel pad queries-chart" aria-label={t("Queries over time")}>
      <Chart
        stacked
        label={t("Queries of the last 24 hours, by result")}
        times={day.series.map(({ time }) => time)}
        series={queriesOverTime(day)}
        format={numberText}
      />
    </section>
  );
}
