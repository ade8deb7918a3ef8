import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { previewForm } from "../../../actions/apply.ts";
import { Dialog } from "../../../parts/overlay/dialog.tsx";
import { Field } from "../../../parts/form/field.tsx";
import { useForm } from "../../../parts/form/use_form.ts";
import { FormFooter } from "../../../parts/form/form_footer.tsx";
import { Form } from "../../../parts/form/form.tsx";
import { listed } from "../lists/actions.ts";
import { addOverrideList, renameOverrideList, tagOverrideList } from "./list_actions.ts";
import type { OverrideList } from "../wire.ts";
import { t } from "../../../text/language.ts";

/** What is done to a list of overrides; `list` null: one is added. */
export interface ListWork {
  readonly list: OverrideList | null;
  readonly what: "add" | "rename" | "tags";
}

const TITLES: Readonly<Record<ListWork["what"], string>> = {
  add: t("Add rule list"),
  rename: t("Rename list"),
  tags: t("Applies to"),
};

/** A list of overrides to add, to rename, or to be for other devices. */
export function OverrideListDialog(
  { work: { list, what }, known, onClose, after }: {
    work: ListWork;
    /** Names of all lists. */
    known: readonly string[];
    onClose: () => void;
    after: () => void;
  },
): VNode {
  const name = useSignal(list?.Name ?? "");
  const tags = useSignal(list?.Tags.join(", ") ?? "");
  const close = (): void => {
    onClose();
    after();
  };
  const write = useForm({
    check: () => nameFault(name.value.trim(), list, known),
    send: () => {
      const to = name.value.trim(), whom = listed(tags.value);
      return previewForm(
        list === null
          ? addOverrideList({ name: to, tags: whom }, close)
          : what === "rename"
          ? renameOverrideList(list, to, close)
          : tagOverrideList(list, whom, close),
      );
    },
  });
  return (
    <Dialog
      kind="drawer"
      title={TITLES[what]}
      note={t("Rules that are enabled and disabled together")}
      onClose={onClose}
    >
      <Form
        write={write}
        class="body form"
        id="override-list"
        failed={t("The list was not saved.")}
      >
        {what !== "tags" && (
          <Field
            label={t("Name")}
            help={t("For example Homework")}
            autocomplete="off"
            {...write.text("Name", name)}
          />
        )}
        {what !== "rename" && (
          <Field
            label={t("Device tags")}
            help={t("Comma-separated; empty = all")}
            autocomplete="off"
            {...write.text("Tags", tags)}
          />
        )}
      </Form>
      <FormFooter write={write} form="override-list" text={t("Preview list")} onClose={onClose} />
    </Dialog>
  );
}

/** A list is found by its name in a path: there one that is there would be meant, and these mean more. */
function nameFault(name: string, list: OverrideList | null, known: readonly string[]) {
  const message = name === ""
    ? t("This field is required")
    : /[/\\]|^\.{1,2}$/.test(name)
    ? t("Do not use / or \\")
    : name !== list?.Name && known.includes(name)
    ? t("A list with this name already exists")
    : null;
  return message === null ? [] : [{ pointer: "/Name", message }];
}
