import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { call } from "../../../api/client.ts";
import { SelectField } from "../../../parts/form/choice_field.tsx";
import { Fault } from "../../../parts/form/fault.tsx";
import { Loading } from "../../../parts/load/loading.tsx";
import { Switch } from "../../../parts/form/switch.tsx";
import { SearchField } from "../../../parts/table/search_field.tsx";
import { failureText } from "../../../api/problem.ts";
import { say } from "../../../state/toast.ts";
import { PageHead, type PageProps } from "../../../parts/show/page_head.tsx";
import { useLoaded } from "../../../parts/load/use_loaded.ts";
import { usePulse } from "../../../parts/load/use_pulse.ts";
import { LogLines } from "./lines.tsx";
import { type LogEntry, type LogFilter, logQuery } from "./wire.ts";
import { t, tn } from "../../../text/language.ts";
import "../../../styles/pages/machine.css";

/** Milliseconds between two loads of the log; there is no event for each line. */
const LOOK_EVERY = 3000;
/** Lines of one page. */
const PAGE = 200;

const LEVELS = [
  ["", t("All")],
  ["info", t("Info and above")],
  ["warn", t("Warnings and errors")],
  ["error", t("Errors")],
] as const;

/** Log entries of the router's processes and its system, or of a leaf router. */
export default function LogsPage({ title }: PageProps): VNode {
  // The page Mesh leads here for the lines of a leaf router, pages of other parts for those of one process.
  const { query: { leaf = "", process = "" } } = useLocation();
  // Another log begins anew: nothing that was loaded of the one before may stand below its heading.
  return <Logs key={`${leaf} ${process}`} title={title} leaf={leaf} firstProcess={process} />;
}

function Logs(
  { title, leaf, firstProcess }: {
    title: string;
    leaf: string;
    firstProcess: string;
  },
): VNode {
  const filter = useSignal<LogFilter>({ text: "", process: firstProcess, level: "info" });
  const source = (page: Parameters<typeof logQuery>[1]) => {
    const query = logQuery(filter.value, page);
    return leaf === ""
      ? { path: "/logs", query }
      : { path: "/plugins/mesh/leafLogs", query: { ...query, IP: leaf } };
  };
  const live = useSignal(true);
  /** What is shown since older lines were loaded; null while it is what was loaded last. */
  const kept = useSignal<readonly LogEntry[] | null>(null);
  const ended = useSignal(false);
  const seen = useRef(new Set<string>());
  const beat = usePulse(LOOK_EVERY);
  const { text, process, level } = filter.value;
  const loaded = useLoaded<readonly LogEntry[]>(
    source({ limit: PAGE }),
    [text, process, level, leaf, live.value ? beat : "still"],
  );
  for (const { CONTAINER_NAME: name } of loaded.body ?? []) seen.current.add(name);
  const entries = kept.value ?? loaded.body ?? [];

  function narrow(part: Partial<LogFilter>): void {
    filter.value = { ...filter.value, ...part };
    kept.value = null;
    ended.value = false;
  }

  async function more(): Promise<void> {
    const before = entries.at(-1)?.__REALTIME_TIMESTAMP;
    if (before === undefined) return;
    // What is shown must stay where it is, or a gap would open above what is fetched now.
    live.value = false;
    kept.value = entries;
    try {
      const { body } = await call<readonly LogEntry[]>(source({ limit: PAGE, before }));
      // Another filter has been chosen meanwhile.
      if (kept.value !== entries) return;
      kept.value = [...entries, ...body];
      ended.value = body.length < PAGE;
    } catch (error) {
      say({
        text: failureText(
          error,
          (text) => t("Older entries could not be loaded. {text}", { text }),
        ),
      });
    }
  }

  return (
    <>
      <PageHead
        title={title}
        note={leaf === "" ? t("Services and kernel") : t("Of the leaf router {leaf}", { leaf })}
      >
        <span class="row">
          <span aria-hidden="true">{t("Live")}</span>
          <Switch
            label={t("Live")}
            on={live.value}
            onFlip={() => {
              live.value = !live.value;
              if (live.value) narrow({});
            }}
          />
        </span>
      </PageHead>
      <section class="panel" aria-label={t("Lines")}>
        <div class="pad log-tools">
          <SearchField
            label={t("Search logs")}
            text={text}
            onText={(wanted) => narrow({ text: wanted })}
          />
          <SelectField
            label={t("Source")}
            value={process}
            options={[
              ["", t("All")],
              ...[...new Set([...seen.current, ...(process === "" ? [] : [process])])].sort().map((
                name,
              ) => [name, name] as const),
            ]}
            onValue={(value) => narrow({ process: value })}
          />
          <SelectField
            label={t("Level")}
            value={level}
            options={LEVELS}
            onValue={(value) => narrow({ level: value })}
          />
        </div>
        {loaded.problem !== null && (
          <Fault title={t("The logs could not be read.")}>{loaded.problem.message}</Fault>
        )}
        {loaded.body === null
          ? loaded.problem === null && <Loading what={t("the logs")} rows={8} />
          : entries.length === 0
          ? (
            <p class="pad s quiet">
              {text === "" ? t("No log entries.") : t("No matches for “{text}”.", { text })}
            </p>
          )
          : <LogLines entries={entries} />}
        {entries.length >= PAGE && !ended.value && (
          <footer class="pad">
            <button class="btn small" type="button" onClick={() => void more()}>
              {t("Older")}
            </button>
            <span class="s quiet">
              {tn("{count} line shown", "{count} lines shown", entries.length)}
            </span>
          </footer>
        )}
      </section>
    </>
  );
}
