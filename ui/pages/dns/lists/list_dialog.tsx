import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { useId } from "preact/hooks";
import { previewForm } from "../../../actions/apply.ts";
import { CheckField, SelectField } from "../../../parts/form/choice_field.tsx";
import { Dialog } from "../../../parts/overlay/dialog.tsx";
import { Field } from "../../../parts/form/field.tsx";
import { useForm } from "../../../parts/form/use_form.ts";
import { FormFooter } from "../../../parts/form/form_footer.tsx";
import { Form } from "../../../parts/form/form.tsx";
import { put } from "../../../api/client.ts";
import { ApiProblem, type ProblemItem } from "../../../api/problem.ts";
import { listed, setList, uploadList } from "./actions.ts";
import { KNOWN_LISTS } from "./catalogue.ts";
import type { BlockList } from "../wire.ts";
import { FieldNote } from "../../../parts/form/field_note.tsx";
import { t } from "../../../text/language.ts";

/** Bytes that an uploaded list may have on its way. */
const MOST = 32 << 20;

const LARGE = t("Choose a file of at most 32 MB, or split it");

function fileFault(file: File | null): readonly ProblemItem[] {
  const message = file === null ? t("Choose a file") : file.size > MOST ? LARGE : null;
  return message === null ? [] : [{ pointer: "/Text", message }];
}

/** What the file holds. Throws ApiProblem. */
async function textOf(file: File): Promise<string> {
  const refuse = (message: string): ApiProblem =>
    new ApiProblem(400, "", { errors: [{ pointer: "/Text", message }] });
  const text = await file.text().catch(() => {
    throw refuse(t("The browser cannot read this file; choose another"));
  });
  // On its way each line's end, among others, is two bytes.
  if (JSON.stringify(text).length > MOST) throw refuse(LARGE);
  return text;
}

/**
 * Has the router download the list as a trial. Throws ApiProblem at the field of the URL where that
 * fails; a resolver that does not run says nothing of the list.
 */
async function tryList(URI: string): Promise<void> {
  try {
    await put("/plugins/dns/block/try", { URI });
  } catch (error) {
    if (error instanceof ApiProblem && error.errors.length === 0) return;
    throw error;
  }
}

/** A block list to add, or to change. */
export function ListDialog(
  { list, used = [], onClose }: {
    list: BlockList | null;
    /** URIs of the lists that there are. */
    used?: readonly string[];
    onClose: () => void;
  },
): VNode {
  const uri = useSignal(list?.URI ?? "");
  const category = useSignal(list?.Category ?? "");
  const tags = useSignal(list?.Tags.join(", ") ?? "");
  const notes = useSignal(list?.DontBlock ?? false);
  const from = useSignal<"address" | "file">("address");
  const file = useSignal<File | null>(null);
  /** The URL whose download failed, and whether its list is added all the same. */
  const failed = useSignal<string | null>(null);
  const anyway = useSignal(false);
  const mine = from.value === "file";
  const write = useForm({
    check: () => [
      ...(uri.value.trim() === ""
        ? [{ pointer: "/URI", message: t("This field is required") }]
        : []),
      ...(mine ? fileFault(file.value) : []),
    ],
    send: async () => {
      const next = {
        URI: uri.value.trim(),
        Enabled: list?.Enabled ?? true,
        Tags: [...listed(tags.value)],
        Category: category.value.trim(),
        DontBlock: notes.value,
      };
      const text = mine && file.value !== null ? await textOf(file.value) : null;
      if (list === null && text === null && !(anyway.value && failed.value === next.URI)) {
        failed.value = null;
        await tryList(next.URI).catch((error) => {
          failed.value = next.URI;
          throw error;
        });
      }
      await previewForm(
        text === null ? setList(next, onClose) : uploadList(next, text, onClose),
      );
    },
  });
  const known = KNOWN_LISTS.filter((one) => !used.includes(one.uri));
  return (
    <Dialog
      kind="drawer"
      title={list === null ? t("Add block list") : t("Edit block list")}
      note={t("Hosts, domains or ad-blocker rules")}
      onClose={onClose}
    >
      <Form
        write={write}
        class="body form"
        id="block-list"
        failed={t("The list was not saved.")}
      >
        {list === null && (
          <SelectField
            label={t("Source")}
            value={from.value}
            options={[["address", "URL"], ["file", t("Upload")]]}
            onValue={(value) => from.value = value as "address" | "file"}
          />
        )}
        {list === null && !mine && (
          <SelectField
            label={t("Well-known lists")}
            help={t("The router downloads the list; nothing is sent about your devices")}
            value={known.find((one) => one.uri === uri.value)?.uri ?? ""}
            options={[
              ["", t("Choose, or enter a URL below")],
              ...known.map(({ uri, name, about }) => [uri, `${name}: ${about}`] as const),
            ]}
            onValue={(value) => {
              uri.value = value;
              category.value = known.find((one) => one.uri === value)?.category ?? "";
              write.edited("URI");
            }}
          />
        )}
        <Field
          label={mine ? t("Name") : t("URL")}
          help={mine
            ? t("Shown in lists and logs")
            : list === null && write.busy
            ? t("Downloading the list to check it. This may take a minute")
            : t("Begins with https://")}
          autocomplete="off"
          readOnly={list !== null}
          {...write.text("URI", uri)}
        />
        {mine && (
          <FileField
            problem={write.at("Text")}
            onFile={(next) => {
              file.value = next;
              write.edited("Text");
            }}
          />
        )}
        {!mine && failed.value !== null && failed.value === uri.value.trim() && (
          <CheckField
            label={t("Add it anyway")}
            help={t("The router tries again later")}
            value={anyway.value}
            onValue={(value) => anyway.value = value}
          />
        )}
        <Field
          label={t("Category")}
          help={t("For example Advertising. Shown in the query log")}
          autocomplete="off"
          {...write.text("Category", category)}
        />
        <Field
          label={t("Device tags")}
          help={t("Comma-separated; empty = all")}
          autocomplete="off"
          {...write.text("Tags", tags)}
        />
        <CheckField
          label={t("Log only")}
          help={t("Matches are logged, not blocked")}
          value={notes.value}
          onValue={(value) => notes.value = value}
        />
      </Form>
      <FormFooter write={write} form="block-list" text={t("Preview list")} onClose={onClose} />
    </Dialog>
  );
}

/** A file of names from this machine. */
function FileField(
  { problem, onFile }: { problem: string | null; onFile: (file: File | null) => void },
): VNode {
  const id = useId();
  return (
    <div class={problem ? "field bad" : "field"}>
      <label for={id}>{t("File")}</label>
      <input
        id={id}
        type="file"
        accept=".txt,.list,.hosts,text/plain"
        aria-invalid={problem ? true : undefined}
        aria-describedby={`${id}-d`}
        onChange={({ currentTarget: { files } }) => onFile(files?.[0] ?? null)}
      />
      <FieldNote id={`${id}-d`} problem={problem} help={t("Hosts, domains or ad-blocker rules")} />
    </div>
  );
}
