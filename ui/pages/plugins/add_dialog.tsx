import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { useId } from "preact/hooks";
import { openPreview } from "../../actions/action.ts";
import { call } from "../../api/client.ts";
import { base64Of, LARGEST } from "../backup/wire.ts";
import { CheckField, Seg } from "../../parts/form/choice_field.tsx";
import { Fault } from "../../parts/form/fault.tsx";
import { Field } from "../../parts/form/field.tsx";
import { FieldNote } from "../../parts/form/field_note.tsx";
import { Form } from "../../parts/form/form.tsx";
import { FormFooter } from "../../parts/form/form_footer.tsx";
import { useForm } from "../../parts/form/use_form.ts";
import { Dialog } from "../../parts/overlay/dialog.tsx";
import { Name } from "../../parts/show/name.tsx";
import { approve } from "./actions.ts";
import { RightList } from "./rights.tsx";
import type { PluginReview } from "./wire.ts";
import { t } from "../../text/language.ts";

const SOURCES = [["archive", t("Archive")], ["git", "Git"], ["folder", t("Folder")]] as const;

/** Adds or updates a Deno plugin: where it comes from, then what it asks for. */
export function AddDialog(
  { gitUrl, onClose, onDone }: {
    /** Of the plugin to update; "" where it came from elsewhere. */
    gitUrl: string;
    onClose: () => void;
    onDone: () => void;
  },
): VNode {
  const review = useSignal<PluginReview | null>(null);
  return review.value === null
    ? (
      <SourceDialog
        gitUrl={gitUrl}
        onClose={onClose}
        onReviewed={(found) => review.value = found}
      />
    )
    : <ReviewDialog review={review.value} onClose={onClose} onDone={onDone} />;
}

function SourceDialog(
  { gitUrl, onClose, onReviewed }: {
    gitUrl: string;
    onClose: () => void;
    onReviewed: (review: PluginReview) => void;
  },
): VNode {
  const kind = useSignal<string>(gitUrl === "" ? "archive" : "git");
  const url = useSignal(gitUrl);
  const folder = useSignal("");
  const file = useSignal<File | null>(null);
  const write = useForm({
    check() {
      if (kind.value === "archive" && file.value === null) {
        return [{ pointer: "/Archive", message: t("Choose the archive of the plugin") }];
      }
      if (kind.value === "archive" && (file.value?.size ?? 0) > LARGEST) {
        return [{ pointer: "/Archive", message: t("The file is larger than 8 MB") }];
      }
      const field = kind.value === "git" ? "GitURL" : "Folder";
      const text = kind.value === "git" ? url.value : folder.value;
      return kind.value !== "archive" && text.trim() === ""
        ? [{ pointer: `/${field}`, message: t("Fill in this field") }]
        : [];
    },
    async send() {
      const body = kind.value === "archive"
        ? { Archive: await base64Of(file.value!) }
        : kind.value === "git"
        ? { GitURL: url.value.trim() }
        : { Folder: folder.value.trim() };
      onReviewed((await call<PluginReview>({ method: "PUT", path: "/plugin/review", body })).body);
    },
  });
  return (
    <Dialog
      kind="drawer"
      title={gitUrl === "" ? t("Add plugin") : t("Update plugin")}
      note={t("Nothing is run before you approve it")}
      onClose={onClose}
    >
      <div class="body" tabIndex={0} role="region" aria-label={t("Source")}>
        <Form
          write={write}
          failed={t("The plugin could not be read.")}
          id="plugin"
          class="part form"
        >
          <Seg
            label={t("Source")}
            value={kind.value}
            options={SOURCES}
            onValue={(next) => kind.value = next}
          />
          {kind.value === "archive" && (
            <FileField
              problem={write.at("Archive")}
              onFile={(chosen) => {
                file.value = chosen;
                write.edited("Archive");
              }}
            />
          )}
          {kind.value === "git" && (
            <Field
              label={t("Repository")}
              help={t("An https address")}
              placeholder={t("https://git.example.org/me/plugin")}
              autocomplete="off"
              {...write.text("GitURL", url)}
            />
          )}
          {kind.value === "folder" && (
            <Field
              label={t("Folder")}
              help={t("In state/plugind/incoming on the router")}
              autocomplete="off"
              {...write.text("Folder", folder)}
            />
          )}
        </Form>
      </div>
      <FormFooter form="plugin" write={write} text={t("Review")} onClose={onClose} />
    </Dialog>
  );
}

function FileField(
  { problem, onFile }: { problem: string | null; onFile: (file: File | null) => void },
): VNode {
  const id = useId();
  return (
    <div class={problem ? "field bad" : "field"}>
      <label for={id}>{t("Plugin archive")}</label>
      <input
        id={id}
        type="file"
        accept=".tgz,.gz,application/gzip"
        aria-describedby={`${id}-d`}
        onChange={(event) => onFile(event.currentTarget.files?.[0] ?? null)}
      />
      <FieldNote id={`${id}-d`} problem={problem} help={t("A .tar.gz with plugin.json in it")} />
    </div>
  );
}

function ReviewDialog(
  { review, onClose, onDone }: {
    review: PluginReview;
    onClose: () => void;
    onDone: () => void;
  },
): VNode {
  const { manifest, rights, change, hash, signer, signedBefore } = review;
  const isOther = signedBefore !== "" && signedBefore !== signer;
  const accepts = useSignal(false), downgrades = useSignal(false);
  const isOlder = change?.isOlder === true;
  const dangerous = rights.filter(({ isDangerous }) => isDangerous).length;
  return (
    <Dialog
      kind="drawer"
      title={<Name>{`${manifest.Name} ${manifest.Version}`}</Name>}
      note={change === null
        ? t("Review before installing")
        : isOlder
        ? t("Downgrade from {from}", { from: change.from })
        : t("Update from {from}", { from: change.from || t("unknown") })}
      onClose={onClose}
    >
      <div class="body" tabIndex={0} role="region" aria-label={t("Review")}>
        {dangerous > 0 && (
          <Fault title={t("This plugin asks for dangerous rights.")}>
            {t("Install it only if you trust its author.")}
          </Fault>
        )}
        {manifest.Description !== "" && (
          <p class="part">
            <Name>{manifest.Description}</Name>
          </p>
        )}
        {isOlder && (
          <section class="part" aria-labelledby="plugin-older">
            <h3 id="plugin-older">{t("Older version")}</h3>
            <Fault title={t("This version is older than the installed one.")}>
              {t("It lacks later fixes; a valid signature does not change that.")}
            </Fault>
            <CheckField
              label={t("Install the older version")}
              value={downgrades.value}
              onValue={(value) => downgrades.value = value}
            />
          </section>
        )}
        {change !== null && (
          <section class="part" aria-labelledby="plugin-change">
            <h3 id="plugin-change">{t("What changes")}</h3>
            {change.added.length === 0 && change.removed.length === 0 && (
              <p class="s soft">{t("It asks for the same rights as before.")}</p>
            )}
            {change.added.length > 0 && (
              <>
                <p class="s">{t("New rights")}</p>
                <RightList rights={change.added} label={t("New rights")} />
              </>
            )}
            {change.removed.length > 0 && (
              <>
                <p class="s">{t("No longer needed")}</p>
                <RightList
                  rights={change.removed.map((one) => ({ ...one, isDangerous: false }))}
                  label={t("Rights no longer needed")}
                />
              </>
            )}
          </section>
        )}
        <section class="part" aria-labelledby="plugin-rights">
          <h3 id="plugin-rights">{t("What it may do")}</h3>
          <RightList rights={rights} label={t("Rights")} />
        </section>
        <section class="part" aria-labelledby="plugin-signer">
          <h3 id="plugin-signer">{t("Signed with the key")}</h3>
          <p class={signer === "" ? "s soft" : "secret"}>
            {signer === "" ? t("It is not signed.") : signer}
          </p>
          {isOther && (
            <>
              <Fault
                title={signer === ""
                  ? t("It was signed until now.")
                  : t("It was signed with another key until now.")}
              >
                {t("Ask its author whether that is right. This is the key before:")}
              </Fault>
              <p class="secret">{signedBefore}</p>
              <CheckField
                label={signer === ""
                  ? t("Accept it without a signature")
                  : t("Accept the other key")}
                value={accepts.value}
                onValue={(value) => accepts.value = value}
              />
            </>
          )}
        </section>
        <section class="part" aria-labelledby="plugin-hash">
          <h3 id="plugin-hash">{t("SHA-256 of its files")}</h3>
          <p class="secret">{hash}</p>
        </section>
      </div>
      <footer>
        <div class="row">
          <button
            class="btn primary grow"
            type="button"
            disabled={isOther && !accepts.value || isOlder && !downgrades.value}
            onClick={() => {
              onClose();
              openPreview(
                approve(review, { signer: accepts.value, older: downgrades.value }, onDone),
              );
            }}
          >
            {change === null ? t("Install…") : isOlder ? t("Install older version…") : t("Update…")}
          </button>
          <button class="btn" type="button" onClick={onClose}>{t("Cancel")}</button>
        </div>
      </footer>
    </Dialog>
  );
}
