import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { type Action, openPreview } from "../../actions/action.ts";
import { Fault } from "../../parts/form/fault.tsx";
import { Loading } from "../../parts/load/loading.tsx";
import { useLoaded } from "../../parts/load/use_loaded.ts";
import { InterfaceFields, mappingBody, suggestedMapping, twice } from "./interfaces.tsx";
import type { BackupReport, InterfaceMapping } from "./wire.ts";
import { t, tn } from "../../text/language.ts";

/** Seconds of the proposed confirm window: a restore may change the router's own address. */
const CONFIRM_WINDOW_S = 90;

/** Restores a backup, by preview. */
function restoreAct(name: string, mapping: InterfaceMapping): Action {
  return {
    title: t("Preview: restore"),
    subject: name,
    sentence: t("replaces the current settings as one change that can be reverted."),
    button: t("Restore backup"),
    danger: true,
    confirmWithin: CONFIRM_WINDOW_S,
    done: t("was restored."),
    request: () => ({
      method: "PUT",
      path: `/backup/${name}/restore`,
      body: mappingBody(mapping),
    }),
  };
}

/** What a restore would restore and skip, with the button to its preview. */
export function ReportPanel({ name }: { name: string }): VNode {
  const { body, problem } = useLoaded<BackupReport>({ path: `/backup/${name}/report` }, [name]);
  return (
    <section class="panel" aria-labelledby="report">
      <header>
        <h2 id="report" class="any">{t("Contents")}</h2>
        <span class="note any">{name}</span>
      </header>
      {problem !== null && (
        <Fault title={t("The backup could not be read.")}>{problem.message}</Fault>
      )}
      {body === null ? problem === null && <Loading what={t("the backup")} rows={4} /> : (
        <>
          <RestoreForm name={name} report={body} />
          <Files title={t("Restored")} files={body.taken.map(takenText)} />
          <Files
            title={t("Skipped")}
            files={body.left.map(({ path, reason }) => ({ path, words: [reason] }))}
          />
        </>
      )}
    </section>
  );
}

/** The way to the preview, with the choice of interfaces where some are missing. */
function RestoreForm({ name, report }: { name: string; report: BackupReport }): VNode {
  const mapping = useSignal(suggestedMapping(report));
  if (report.taken.length === 0) {
    return (
      <div class="pad form">
        <p>{t("It contains no settings.")}</p>
      </div>
    );
  }
  const unclear = twice(mapping.value).size > 0;
  return (
    <div class="pad form">
      {report.missing.length > 0 && (
        <InterfaceFields missing={report.missing} present={report.present} mapping={mapping} />
      )}
      <div class="row">
        <button
          class="btn primary"
          type="button"
          aria-disabled={unclear}
          onClick={() => !unclear && openPreview(restoreAct(name, mapping.value))}
        >
          {t("Preview restore")}
        </button>
      </div>
    </div>
  );
}

function takenText(file: BackupReport["taken"][number]) {
  const { path, dropped } = file;
  return {
    path,
    words: dropped.length === 0 ? [] : [
      tn("without {count} invalid entry:", "without {count} invalid entries:", dropped.length),
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
