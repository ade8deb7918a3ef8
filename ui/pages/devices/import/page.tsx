import type { VNode } from "preact";
import { useMemo, useState } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { previewForm } from "../../../actions/apply.ts";
import { CheckField } from "../../../parts/form/choice_field.tsx";
import { Fault } from "../../../parts/form/fault.tsx";
import { WriteFault } from "../../../parts/form/write_fault.tsx";
import { Icon } from "../../../parts/show/icon.tsx";
import { Name } from "../../../parts/show/name.tsx";
import type { Column } from "../../../parts/table/column.ts";
import { Table } from "../../../parts/table/table.tsx";
import { ApiProblem, textOf } from "../../../api/problem.ts";
import { devices } from "../../../state/store.ts";
import { PageHead, type PageProps } from "../../../parts/show/page_head.tsx";
import { COLUMNS, IDENTITY } from "./columns.ts";
import { parseCsv } from "../../../text/csv.ts";
import { type ImportRow, mergedDevices, readRows } from "./rows.ts";
import { t, tn } from "../../../text/language.ts";

/** Most bytes of a file; 1,000 devices need a tenth of it. */
const MOST = 4 << 20;
const WORDS = { new: "new", changed: "changes", same: "unchanged" } as const;
const TONES = { new: "success", changed: "accent", same: "" } as const;

/** Devices from a file: read and checked here, shown line by line, then written at once or not at all. */
export default function ImportPage({ title }: PageProps): VNode {
  const { route } = useLocation();
  const [text, setText] = useState<string | null>(null);
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const [onlyGood, setOnlyGood] = useState(false);
  const today = devices.value ?? {};
  const file = useMemo(() => text === null ? null : readRows(parseCsv(text), today), [text, today]);
  const rows = (file?.rows ?? []).map((row) => ({
    ...row,
    faults: [...row.faults, ...problemTexts(problem, row)],
  }));
  const faulty = rows.filter(({ faults }) => faults.length > 0);
  const good = rows.filter(({ faults, state }) => faults.length === 0 && state !== "same");
  const ready = good.length > 0 && (faulty.length === 0 || onlyGood);

  async function choose(
    event: Event & { readonly currentTarget: HTMLInputElement },
  ): Promise<void> {
    const input = event.currentTarget;
    const [chosen] = input.files ?? [];
    setProblem(null);
    setOnlyGood(false);
    if (chosen === undefined) return setText(null);
    if (chosen.size > MOST) {
      setText(null);
      return setProblem(new ApiProblem(0, t("The file is larger than 4 MB.")));
    }
    try {
      setText(await chosen.text());
    } catch {
      // A browser takes no notice of a choice that stands already.
      input.value = "";
      setText(null);
      setProblem(new ApiProblem(0, t("The browser cannot read this file. Select it again.")));
    }
  }

  async function preview(): Promise<void> {
    setProblem(null);
    try {
      await previewForm({
        title: t("Preview: import"),
        subject: tn("{count} device", "{count} devices", good.length),
        sentence: t("from the file are saved as one change."),
        details: faulty.length > 0
          ? [
            tn(
              "{count} line with errors skipped.",
              "{count} lines with errors skipped.",
              faulty.length,
            ),
          ]
          : [],
        button: tn("Import {count} device", "Import {count} devices", good.length),
        done: t("were imported."),
        wholeList: true,
        request: () => ({
          method: "PUT",
          path: "/devices",
          body: mergedDevices(good, devices.value ?? {}),
        }),
        after: () => route("/admin/devices"),
      });
    } catch (error) {
      setProblem(error instanceof ApiProblem ? error : new ApiProblem(0, textOf(error)));
    }
  }

  return (
    <>
      <PageHead
        title={title}
        note={t("Review the preview before anything is saved")}
        parent={{ href: "/admin/devices", title: t("Devices"), here: t("Import") }}
      />
      <div class="stack">
        <section class="panel pad form" aria-label={t("File")}>
          <div class="field">
            <label for="file">{t("CSV file")}</label>
            <input
              id="file"
              type="file"
              accept=".csv,text/csv,text/plain"
              onChange={(event) => void choose(event)}
            />
            <span class="help">
              {t(
                "The first line contains the column names: {identity} (MAC address or VPN key), and any of",
                { identity: IDENTITY },
              )} {t(
                "{columns}. Separate several policies, groups or tags by semicolons. Exported files have this format.",
                { columns: COLUMNS.map(({ heading }) => heading).join(", ") },
              )}
            </span>
          </div>
        </section>
        {problem !== null && !rows.some((row) => problemTexts(problem, row).length > 0) && (
          <WriteFault failed={t("No changes were made.")} error={problem} />
        )}
        {file?.fault && <Fault title={t("This file cannot be read.")}>{file.fault}</Fault>}
        {file !== null && file.unknown.length > 0 && (
          <Fault warning title={t("Ignored columns:")}>{file.unknown.join(", ")}</Fault>
        )}
        {rows.length > 0 && (
          <section class="panel" aria-labelledby="lines">
            <header>
              <h2 id="lines">{tn("{count} line", "{count} lines", rows.length)}</h2>
              <span class="note">
                {tn(
                  "{count} device to import, {number}",
                  "{count} devices to import, {number}",
                  good.length,
                  { number: tn("{count} fault", "{count} faults", faulty.length) },
                )}
              </span>
            </header>
            <Lines rows={rows} />
            <footer>
              <div class="form">
                {faulty.length > 0 && (
                  <CheckField
                    label={tn(
                      "Skip {count} line with errors",
                      "Skip {count} lines with errors",
                      faulty.length,
                    )}
                    help={t("Otherwise nothing is imported until the file is correct")}
                    value={onlyGood}
                    onValue={setOnlyGood}
                  />
                )}
                <div class="row">
                  <button
                    class="btn primary"
                    type="button"
                    disabled={!ready}
                    onClick={() => void preview()}
                  >
                    {t("Preview import")}
                  </button>
                  <a class="btn" href="/admin/devices">{t("Cancel")}</a>
                </div>
              </div>
            </footer>
          </section>
        )}
      </div>
    </>
  );
}

/** What the router said of a line. */
function problemTexts(problem: ApiProblem | null, row: ImportRow): readonly string[] {
  const start = `/${row.identity.replaceAll("~", "~0").replaceAll("/", "~1")}`;
  return (problem?.errors ?? [])
    .filter(({ pointer }) => pointer === start || pointer.startsWith(`${start}/`))
    .map(({ message }) => message);
}

function Lines({ rows }: { rows: readonly ImportRow[] }): VNode {
  return (
    <Table
      label={t("Lines")}
      columns={LINES}
      rows={rows}
      keyOf={({ line }) => String(line)}
      start={{ column: "line", down: false }}
      first={({ faults }) => faults.length > 0}
      isStateless
    />
  );
}

const LINES: readonly Column<ImportRow>[] = [
  {
    name: "line",
    word: t("Line"),
    width: "72px",
    num: true,
    phone: "side",
    sort: ({ line }) => line,
    cell: ({ line }) => <span class="quiet">{line}</span>,
  },
  {
    name: "device",
    word: t("Device"),
    wraps: true,
    phone: "name",
    sort: ({ name }) => name,
    cell: ({ name }) =>
      name === "" ? <span class="quiet">{t("no name")}</span> : <Name>{name}</Name>,
  },
  {
    name: "identity",
    word: t("Identity"),
    wraps: true,
    sort: ({ identity }) => identity,
    cell: ({ identity }) => (
      <span class="mono any">
        <Name>{identity}</Name>
      </span>
    ),
  },
  {
    name: "becomes",
    word: t("Result"),
    width: "minmax(0, 2fr)",
    wraps: true,
    sort: ({ faults, state }) => `${faults.length > 0 ? 0 : 1} ${WORDS[state]}`,
    cell: (row) => <Becomes row={row} />,
  },
];

function Becomes({ row }: { row: ImportRow }): VNode {
  if (row.faults.length === 0) {
    return (
      <>
        <span class={`chip ${TONES[row.state]}`}>{WORDS[row.state]}</span>{" "}
        <span class="quiet">{row.differs.join(", ")}</span>
      </>
    );
  }
  return (
    <>
      {row.faults.map((fault) => (
        <p key={fault} class="problem">
          <Icon name="alert" small />
          <Name>{fault}</Name>
        </p>
      ))}
    </>
  );
}
