import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { call } from "../../api/client.ts";
import { download } from "../../api/download.ts";
import { Fault } from "../../parts/form/fault.tsx";
import { DeleteDialog } from "../../parts/overlay/delete_dialog.tsx";
import { FactorNote } from "../../parts/show/factor_note.tsx";
import { Loading } from "../../parts/load/loading.tsx";
import { Name } from "../../parts/show/name.tsx";
import { failureText } from "../../api/problem.ts";
import { clock, day } from "../../text/time.ts";
import { say } from "../../state/toast.ts";
import { PageHead, type PageProps } from "../../parts/show/page_head.tsx";
import { useLoaded } from "../../parts/load/use_loaded.ts";
import { ReportPanel } from "./report.tsx";
import { UploadPanel } from "./upload.tsx";
import { type Backup, sizeText } from "./wire.ts";
import { t } from "../../text/language.ts";

/** Backups of the configuration, and restoring them. */
export default function BackupPage({ title }: PageProps): VNode {
  const loaded = useLoaded<readonly Backup[]>({ path: "/backup" }, []);
  const chosen = useSignal<string | null>(null);
  const leaving = useSignal<string | null>(null);
  const making = useSignal(false);

  async function act(what: () => Promise<void>): Promise<void> {
    try {
      await what();
    } catch (error) {
      say({ text: failureText(error, (text) => t("Failed. {text}", { text })) });
    }
    loaded.reload();
  }

  const make = () =>
    act(async () => {
      if (making.value) return;
      making.value = true;
      try {
        const { body } = await call<string>({ method: "PUT", path: "/backup" });
        say({ subject: body, text: t("was created.") });
      } finally {
        making.value = false;
      }
    });
  async function remove(name: string): Promise<void> {
    await call({ method: "DELETE", path: `/backup/${name}` });
    if (chosen.value === name) chosen.value = null;
    say({ subject: name, text: t("was deleted.") });
    loaded.reload();
  }

  return (
    <>
      <PageHead
        title={title}
        note={t("Back up or restore settings")}
      >
        <button
          class="btn primary"
          type="button"
          aria-disabled={making.value}
          onClick={() => void make()}
        >
          {t("Create backup")}
        </button>
      </PageHead>
      <FactorNote what={t("Downloading or restoring a backup")} />
      <div class="cols half">
        <div class="stack">
          <section class="panel" aria-labelledby="backups">
            <header>
              <h2 id="backups">{t("Backups")}</h2>
            </header>
            {loaded.problem !== null && (
              <Fault title={t("The backups could not be listed.")}>{loaded.problem.message}</Fault>
            )}
            {loaded.body === null
              ? loaded.problem === null && <Loading what={t("the backups")} rows={3} />
              : loaded.body.length === 0
              ? <p class="pad s quiet">{t("No backups yet.")}</p>
              : (
                <ul class="rows">
                  {loaded.body.map((backup) => (
                    <Row
                      key={backup.Name}
                      backup={backup}
                      onLook={() => chosen.value = backup.Name}
                      onSave={() => void act(() => download(`/backup/${backup.Name}`, backup.Name))}
                      onDelete={() => leaving.value = backup.Name}
                    />
                  ))}
                </ul>
              )}
            <footer>
              {t("Backups contain device passwords. Store them securely.")}
            </footer>
          </section>
          <UploadPanel
            onTaken={(name) => {
              chosen.value = name;
              loaded.reload();
            }}
          />
        </div>
        {chosen.value !== null && <ReportPanel key={chosen.value} name={chosen.value} />}
      </div>
      {leaving.value !== null && (
        <DeleteDialog
          name={leaving.value}
          loss={t("Downloaded copies are not affected.")}
          act={() => remove(leaving.value as string)}
          onClose={() => leaving.value = null}
        />
      )}
    </>
  );
}

function Row(
  { backup, onLook, onSave, onDelete }: {
    backup: Backup;
    onLook: () => void;
    onSave: () => void;
    onDelete: () => void;
  },
): VNode {
  const { Name: name, Timestamp, Size } = backup;
  const at = Date.parse(Timestamp);
  const what = <span class="vh">: {name}</span>;
  return (
    <li>
      <div class="grow">
        <b class="any">
          <Name>{`${day(at)}, ${clock(at)}`}</Name>
        </b>
        <p class="any">{name}, {sizeText(Size)}</p>
        <span class="row wrap">
          <button class="btn small" type="button" onClick={onLook}>{t("Restore…")}{what}</button>
          <button class="btn small" type="button" onClick={onSave}>{t("Download")}{what}</button>
          <button class="btn small danger" type="button" onClick={onDelete}>
            {t("Delete")}
            {what}
          </button>
        </span>
      </div>
    </li>
  );
}
