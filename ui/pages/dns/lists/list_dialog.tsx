import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { useId } from "preact/hooks";
import { previewForm } from "../../../actions/action.ts";
import { CheckField, SelectField } from "../../../parts/form/choice_field.tsx";
import { Dialog } from "../../../parts/overlay/dialog.tsx";
import { Field } from "../../../parts/form/field.tsx";
import { useForm } from "../../../parts/form/use_form.ts";
import { FormFooter } from "../../../parts/form/form_footer.tsx";
import { Form } from "../../../parts/form/form.tsx";
import { ApiProblem, type ProblemItem } from "../../../api/problem.ts";
import { listed, setList, uploadList } from "./actions.ts";
import type { BlockList } from "../wire.ts";
import { FieldNote } from "../../../parts/form/field_note.tsx";

/** Bytes that an uploaded list may have on its way. */
const MOST = 32 << 20;

const LARGE = "Choose a file of at most 32 MB, or split it";

function fileFault(file: File | null): readonly ProblemItem[] {
  const message = file === null ? "Choose a file" : file.size > MOST ? LARGE : null;
  return message === null ? [] : [{ pointer: "/Text", message }];
}

/** What the file holds. Throws ApiProblem. */
async function textOf(file: File): Promise<string> {
  const refuse = (message: string): ApiProblem =>
    new ApiProblem(400, "", { errors: [{ pointer: "/Text", message }] });
  const text = await file.text().catch(() => {
    throw refuse("The browser cannot read this file; choose another");
  });
  // On its way each line's end, among others, is two bytes.
  if (JSON.stringify(text).length > MOST) throw refuse(LARGE);
  return text;
}

/** A block list to add, or to change. */
export function ListDialog(
  { list, onClose }: { list: BlockList | null; onClose: () => void },
): VNode {
  const uri = useSignal(list?.URI ?? "");
  const category = useSignal(list?.Category ?? "");
  const tags = useSignal(list?.Tags.join(", ") ?? "");
  const notes = useSignal(list?.DontBlock ?? false);
  const from = useSignal<"address" | "file">("address");
  const file = useSignal<File | null>(null);
  const mine = from.value === "file";
  const write = useForm({
    check: () => [
      ...(uri.value.trim() === "" ? [{ pointer: "/URI", message: "This field is required" }] : []),
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
      await previewForm(
        text === null ? setList(next, onClose) : uploadList(next, text, onClose),
      );
    },
  });
  return (
    <Dialog
      kind="drawer"
      title={list === null ? "Add block list" : "Edit block list"}
      note="Hosts, domains or ad-blocker rules"
      onClose={onClose}
    >
      <Form
        write={write}
        class="body form"
        id="block-list"
        failed="The list was not saved."
      >
        {list === null && (
          <SelectField
            label="Source"
            value={from.value}
            options={[["address", "URL"], ["file", "Upload"]]}
            onValue={(value) => from.value = value as "address" | "file"}
          />
        )}
        <Field
          label={mine ? "Name" : "URL"}
          help={mine ? "Shown in lists and logs" : "Begins with https://"}
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
        <Field
          label="Category"
          help="For example Advertising. Shown in the query log"
          autocomplete="off"
          {...write.text("Category", category)}
        />
        <Field
          label="Device tags"
          help="Comma-separated; empty = all"
          autocomplete="off"
          {...write.text("Tags", tags)}
        />
        <CheckField
          label="Log only"
          help="Matches are logged, not blocked"
          value={notes.value}
          onValue={(value) => notes.value = value}
        />
      </Form>
      <FormFooter write={write} form="block-list" text="Preview list" onClose={onClose} />
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
      <label for={id}>File</label>
      <input
        id={id}
        type="file"
        accept=".txt,.list,.hosts,text/plain"
        aria-invalid={problem ? true : undefined}
        aria-describedby={`${id}-d`}
        onChange={({ currentTarget: { files } }) => onFile(files?.[0] ?? null)}
      />
      <FieldNote id={`${id}-d`} problem={problem} help="Hosts, domains or ad-blocker rules" />
    </div>
  );
}
