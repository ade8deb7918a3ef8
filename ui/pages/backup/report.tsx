import type { VNode } from "preact";
import { type Action, openPreview } from "../../actions/action.ts";
import { Fault } from "../../parts/form/fault.tsx";
import { Loading } from "../../parts/load/loading.tsx";
import { count } from "../../text/words.ts";
import { useLoaded } from "../../parts/load/use_loaded.ts";
import type { BackupReport } from "./wire.ts";

/** Seconds of the proposed confirm window: a restore may change the router's own address. */
const CONFIRM_WINDOW_S = 90;

/** Restores a backup, by preview. */
function restoreAct(name: string): Action {
  return {
    title: "Preview: restore",
    subject: name,
    sentence: "replaces the current settings as one change that can be reverted.",
    button: "Restore backup",
    danger: true,
    confirmWithin: CONFIRM_WINDOW_S,
    done: "was restored.",
    request: () => ({ method: "PUT", path: `/backup/${name}/restore` }),
  };
}

/** What a restore would restore and skip, with the button to its preview. */
export function ReportPanel({ name }: { name: string }): VNode {
  const { body, problem } = useLoaded<BackupReport>({ path: `/backup/${name}/report` }, [name]);
  return (
    <section class="panel" aria-labelledby="report">
      <header>
        <h2 id="report" class="any">Contents</h2>
        <span class="note any">{name}</span>
      </header>
      {problem !== null && <Fault title="The backup could not be read.">{problem.message}</Fault>}
      {body === null ? problem === null && <Loading what="the backup" rows={4} /> : (
        <>
          <div class="pad form">
            {body.taken.length === 0 ? <p>It contains no settings.</p> : (
              <div class="row">
                <button
                  class="btn primary"
                  type="button"
                  onClick={() => openPreview(restoreAct(name))}
                >
                  Preview restore
                </button>
              </div>
            )}
          </div>
          <Files title="Restored" files={body.taken.map(takenWords)} />
          <Files
            title="Skipped"
            files={body.left.map(({ path, reason }) => ({ path, words: [reason] }))}
          />
        </>
      )}
    </section>
  );
}

function takenWords(file: BackupReport["taken"][number]) {
  const { path, dropped } = file;
  return {
    path,
    words: dropped.length === 0 ? [] : [
      `without ${count(dropped.length, "invalid entry", "invalid entries")}:`,
      ...dropped.map(({ pointer, message }) => `${pointer}: ${message}`),
    ],
  };
}

function Files(
  { title, files }: {
    title: string;
    files: readonly { readonly path: string; readonly words: readonly string[] }[];
  },
): VNode | null {
  if (files.length === 0) return null;
  return (
    <>
      <h3 class="pad s">{title}</h3>
      <ul class="rows" aria-label={title}>
        {files.map(({ path, words }) => (
          <li key={path}>
            <div class="grow">
              <b class="any">{path}</b>
              {words.map((line) => <p key={line} class="any">{line}</p>)}
            </div>
          </li>
        ))}
      </ul>
    </>
  );
}
