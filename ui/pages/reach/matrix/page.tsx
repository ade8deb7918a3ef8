import type { VNode } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Fault } from "../../../parts/form/fault.tsx";
import { Loading } from "../../../parts/load/loading.tsx";
import { changeEvents, devices } from "../../../state/store.ts";
import { PageHead, type PageProps } from "../../../parts/show/page_head.tsx";
import { endLabels, textOfEnd } from "../endpoints.ts";
import { useLoaded } from "../../../parts/load/use_loaded.ts";
import { Pair, type Service } from "./selection.tsx";
import { type At, Grid } from "./grid.tsx";
import { List } from "./list.tsx";
import { partiesOf, type Party } from "./parties.ts";
import { cellOf, LEGEND } from "./text.ts";
import type { ReachMatrix } from "./wire.ts";
import { t } from "../../../text/language.ts";
import "../../../styles/pages/reach.css";
import "../../../styles/pages/matrix.css";

const NARROW = "(max-width: 767px)";

function useNarrow(): boolean {
  const [narrow, setNarrow] = useState(() => matchMedia(NARROW).matches);
  useEffect(() => {
    const media = matchMedia(NARROW);
    const look = (): void => setNarrow(media.matches);
    media.addEventListener("change", look);
    return () => media.removeEventListener("change", look);
  }, []);
  return narrow;
}

/** The access matrix of devices, the Internet and the router. */
export default function MatrixPage({ title }: PageProps): VNode {
  const { body, problem } = useLoaded<ReachMatrix>({ path: "/reach/matrix" }, [
    changeEvents.value,
    devices.value,
  ]);
  return (
    <>
      <PageHead
        title={title}
        note={t("Rows are sources, columns destinations. A group opens to its devices")}
      />
      {problem !== null && (
        <Fault title={t("The access matrix could not be loaded.")}>{problem.message}</Fault>
      )}
      {body === null
        ? problem === null && <Loading what={t("the access matrix")} />
        : <Matrix matrix={body} />}
    </>
  );
}

const NONE: ReadonlySet<string> = new Set();

function Matrix({ matrix }: { matrix: ReachMatrix }): VNode {
  const narrow = useNarrow();
  const side = useRef<HTMLDivElement>(null);
  const [texts, setTexts] = useState({ from: "", to: "" });
  const [open, setOpen] = useState({ from: NONE, to: NONE });
  const [chosen, setChosen] = useState<Chosen>({ row: "", column: "" });
  const [sheet, setSheet] = useState(false);
  const [service, setService] = useState<Service>({ protocol: "tcp", port: "443" });
  const all = devices.value;
  const labels = endLabels.value;
  const names = {
    name: textOfEnd,
    groups: (identity: string) => all?.[identity]?.Groups ?? null,
  };
  const rows = useMemo(
    () => partiesOf(matrix, names, { open: open.from, text: texts.from }),
    [matrix, all, labels, open.from, texts.from],
  );
  const columns = useMemo(
    () => partiesOf(matrix, names, { open: open.to, text: texts.to }),
    [matrix, all, labels, open.to, texts.to],
  );
  // The answers of groups take a look at all their pairs: once is enough.
  const known = useMemo(() => new Map<string, ReturnType<typeof cellOf>>(), [matrix, all, labels]);
  const cell = (from: Party, to: Party): ReturnType<typeof cellOf> => {
    const key = `${from.key}\n${to.key}`;
    let text = known.get(key);
    if (text === undefined) known.set(key, text = cellOf(matrix, from, to));
    return text;
  };
  const at: At = { row: placeOf(rows, chosen.row), column: placeOf(columns, chosen.column) };
  const from = rows[Math.max(0, at.row)];
  const to = columns[Math.max(0, at.column)];
  const keyAt = (list: readonly Party[], place: number): string | null => list[place]?.key ?? null;
  const fold = (end: "from" | "to", groups: readonly (string | null)[], shows?: boolean): void =>
    setOpen((now) => {
      const next = new Set(now[end]);
      for (const group of groups) {
        if (group === null) continue;
        if (shows ?? !next.has(group)) next.add(group);
        else next.delete(group);
      }
      return { ...now, [end]: next };
    });
  const answer = from && to && (
    <Pair
      matrix={matrix}
      from={from}
      to={to}
      name={textOfEnd}
      service={service}
      onService={setService}
      onFold={() => {
        fold("from", [from.group], true);
        fold("to", [to.group], true);
        setSheet(false);
      }}
    />
  );
  return (
    <div class="matrix-cols">
      <section class="panel" aria-label={t("Matrix")}>
        <div class="pad row wrap matrix-find">
          {(["from", "to"] as const).map((end) => (
            <div key={end} class="field grow">
              <label for={`matrix-find-${end}`}>
                {end === "from" ? t("Filter sources") : t("Filter destinations")}
              </label>
              <input
                id={`matrix-find-${end}`}
                class="input"
                type="search"
                placeholder={t("Name or group")}
                value={texts[end]}
                onInput={(event) => setTexts({ ...texts, [end]: event.currentTarget.value })}
              />
            </div>
          ))}
        </div>
        {matrix.classes.every(({ kind }) => kind !== "device") && (
          <p class="pad soft">{t("No devices yet.")}</p>
        )}
        {!answer
          ? (
            <p class="pad soft" role="status">
              {t("No matches.")}
            </p>
          )
          : narrow
          ? (
            <List
              rows={rows}
              columns={columns}
              cell={cell}
              row={Math.max(0, at.row)}
              onRow={(row) => setChosen({ ...chosen, row: keyAt(rows, row) })}
              column={sheet ? Math.max(0, at.column) : null}
              onColumn={(column) => {
                if (column !== null) setChosen({ ...chosen, column: keyAt(columns, column) });
                setSheet(column !== null);
              }}
              onFold={({ group }) => fold("to", [group])}
              answer={answer}
            />
          )
          : (
            <Grid
              rows={rows}
              columns={columns}
              cell={cell}
              at={at}
              onMove={({ row, column }) =>
                setChosen({ row: keyAt(rows, row), column: keyAt(columns, column) })}
              onExplain={() => side.current?.querySelector("h2")?.focus()}
              onFold={(end, { group }) => fold(end, [group])}
            />
          )}
      </section>
      {!narrow && (
        <div
          class="stack matrix-side"
          ref={side}
          onKeyDown={(event) => {
            if (event.key !== "Escape") return;
            document.querySelector<HTMLElement>('.matrix [tabindex="0"]')?.focus();
          }}
        >
          {answer}
          <section class="panel pad" aria-label={t("Legend")}>
            <ul class="legend">
              {LEGEND.map(([mark, text]) => (
                <li key={mark}>
                  <i class={`mark-${mark}`} aria-hidden="true" />
                  {text}
                </li>
              ))}
            </ul>
          </section>
        </div>
      )}
    </div>
  );
}

/** Keys of the selected row and column; null stands for the headers. */
interface Chosen {
  readonly row: string | null;
  readonly column: string | null;
}

/** Where a key stands; the first place for one that is not shown. */
function placeOf(list: readonly Party[], key: string | null): number {
  return key === null ? -1 : Math.max(0, list.findIndex((party) => party.key === key));
}
