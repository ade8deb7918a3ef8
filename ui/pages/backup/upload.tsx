import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { useId } from "preact/hooks";
import { call } from "../../api/client.ts";
import { Fault } from "../../parts/form/fault.tsx";
import { textOf } from "../../api/problem.ts";
import { base64Of, LARGEST } from "./wire.ts";
import { t } from "../../text/language.ts";

/** Uploads an archive of this or another router; nothing is restored yet. */
export function UploadPanel({ onTaken }: { onTaken: (name: string) => void }): VNode {
  const problem = useSignal<string | null>(null);
  const busy = useSignal(false);
  const id = useId();

  async function take(input: HTMLInputElement): Promise<void> {
    const file = input.files?.[0];
    if (file === undefined || busy.value) return;
    problem.value = null;
    busy.value = true;
    try {
      if (file.size > LARGEST) throw new Error(t("The file is larger than 8 MB."));
      const body = { Archive: await base64Of(file) };
      const answer = await call<{ Name: string }>({ method: "PUT", path: "/backup/upload", body });
      onTaken(answer.body.Name);
    } catch (error) {
      problem.value = textOf(error);
    } finally {
      busy.value = false;
      // The same file may be chosen once more.
      input.value = "";
    }
  }

  return (
    <section class="panel" aria-labelledby="upload" aria-busy={busy.value}>
      <header>
        <h2 id="upload">{t("Upload")}</h2>
      </header>
      <div class="pad form">
        {problem.value && <Fault title={t("Failed.")}>{problem.value}</Fault>}
        <div class="field">
          <label for={id}>{t("Backup archive")}</label>
          <input
            id={id}
            type="file"
            accept=".tgz,.gz,application/gzip"
            aria-describedby={`${id}-d`}
            onChange={(event) => void take(event.currentTarget)}
          />
          <span class="help" id={`${id}-d`}>
            {t(
              "A backup, or the configs folder of a compatible router as .tar.gz. Nothing is restored before you confirm.",
            )}
          </span>
        </div>
        <span class="vh" role="status">{busy.value ? t("Uploading the archive") : ""}</span>
      </div>
    </section>
  );
}
