import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { Fault } from "../../../parts/form/fault.tsx";
import { Loading } from "../../../parts/load/loading.tsx";
import { changeEvents, devices } from "../../../state/store.ts";
import { PageHead, type PageProps } from "../../../parts/show/page_head.tsx";
import { textOfEnd } from "../endpoints.ts";
import { useLoaded } from "../../../parts/load/use_loaded.ts";
import { Chosen } from "./selection.tsx";
import { type At, Grid } from "./grid.tsx";
import { List } from "./list.tsx";
import type { ReachMatrix } from "./wire.ts";
import { classText, found, LEGEND, reachHref } from "./text.ts";
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
        note="Rows are sources, columns destinations. Devices with identical access are grouped"
      />
      {problem !== null && (
        <Fault title="The access matrix could not be loaded.">{problem.message}</Fault>
      )}
      {body === null
        ? problem === null && <Loading what="the access matrix" />
        : <Matrix matrix={body} />}
    </>
  );
}

function Matrix({ matrix }: { matrix: ReachMatrix }): VNode {
  const { route } = useLocation();
  const narrow = useNarrow();
  const [texts, setTexts] = useState({ from: "", to: "" });
  const [chosen, setChosen] = useState<At>({ row: 0, column: 0 });
  const label = (party: number): string => classText(matrix.classes[party]!, textOfEnd);
  const rows = found(matrix.classes, texts.from, textOfEnd);
  const columns = found(matrix.classes, texts.to, textOfEnd);
  const at: At = {
    row: Math.max(0, Math.min(chosen.row, rows.length - 1)),
    column: Math.max(0, Math.min(chosen.column, columns.length - 1)),
  };
  const shared = { matrix, rows, columns, label };
  const open = ({ row, column }: At): void => {
    const href = reachHref(matrix, rows[row]!, columns[column]!);
    if (href !== null) route(href);
  };
  const some = rows.length > 0 && columns.length > 0;
  return (
    <div class="stack">
      <section class="panel" aria-label="Matrix">
        <div class="pad row wrap matrix-find">
          {(["from", "to"] as const).map((side) => (
            <div key={side} class="field grow">
              <label for={`matrix-find-${side}`}>
                {side === "from" ? "Filter sources" : "Filter destinations"}
              </label>
              <input
                id={`matrix-find-${side}`}
                class="input"
                type="search"
                placeholder="Name or group"
                value={texts[side]}
                onInput={(event) => setTexts({ ...texts, [side]: event.currentTarget.value })}
              />
            </div>
          ))}
        </div>
        {matrix.classes.every(({ kind }) => kind !== "device") && (
          <p class="pad soft">No devices yet.</p>
        )}
        {!some
          ? (
            <p class="pad soft" role="status">
              No matches.
            </p>
          )
          : narrow
          ? (
            <List
              {...shared}
              row={at.row}
              onRow={(row) => setChosen({ ...at, row })}
            />
          )
          : <Grid {...shared} at={at} onMove={setChosen} onOpen={open} />}
      </section>
      {some && !narrow && (
        <div class="cols main-side">
          <Chosen
            matrix={matrix}
            from={rows[at.row]!}
            to={columns[at.column]!}
            label={label}
            name={textOfEnd}
          />
          <section class="panel pad" aria-label="Legend">
            <ul class="legend">
              {LEGEND.map(([extent, text]) => (
                <li key={extent}>
                  <i class={`mark-${extent}`} aria-hidden="true" />
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
