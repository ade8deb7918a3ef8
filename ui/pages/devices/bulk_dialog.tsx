import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { useEffect, useId } from "preact/hooks";
import { previewForm } from "../../actions/apply.ts";
import { formRules } from "../../generated/form_rules.ts";
import { CheckField } from "../../parts/form/choice_field.tsx";
import { Dialog } from "../../parts/overlay/dialog.tsx";
import { Field } from "../../parts/form/field.tsx";
import { type FormState, useForm } from "../../parts/form/use_form.ts";
import { Form, SubmitButton } from "../../parts/form/form.tsx";
import { devices, groups } from "../../state/store.ts";
import { ASSIGNABLE } from "../../text/policies.ts";
import { type BulkEdit, editMany } from "./bulk_actions.ts";
import { t, tn } from "../../text/language.ts";
import { inSentence } from "../../text/format.ts";

type Kind = "groups" | "tags" | "policies";

const TITLES: Readonly<Record<Kind, string>> = {
  groups: t("Groups"),
  tags: t("Tags"),
  policies: "Policies",
};

/** Dialog for what to add to the selected devices or remove from them; its preview opens over it. */
export function BulkDialog(
  { kind, identities, onClose }: {
    kind: Kind;
    identities: readonly string[];
    onClose: () => void;
  },
): VNode {
  const text = useSignal("");
  const policies = useSignal<readonly string[]>([]);
  const listId = useId();
  const editOf = (add: boolean): BulkEdit =>
    kind === "policies" ? policyEdit(policies.value, add) : labelEdit(kind, text.value, add);
  const write = useForm({
    check: () =>
      editOf(true).values.length > 0 ? [] : [{
        pointer: "/values",
        message: kind === "policies" ? t("Select at least one") : t("Enter a name"),
      }],
    send: ({ button: by }) =>
      previewForm({ ...editMany(identities, editOf(by !== "take")), after: onClose }),
  });
  useEffect(() => write.form.current?.querySelector<HTMLElement>(".input")?.focus(), []);

  const known = kind === "groups"
    ? (groups.value ?? []).map(({ Name }) => Name)
    : [...new Set(Object.values(devices.value ?? {}).flatMap(({ DeviceTags }) => DeviceTags))];
  return (
    <Dialog
      kind="box"
      title={TITLES[kind]}
      note={tn(
        "{count} device, with a preview",
        "{count} devices, with a preview",
        identities.length,
      )}
      focusTitle={kind === "policies"}
      onClose={onClose}
    >
      <Form write={write} failed={t("No changes were made.")} class="inner form">
        {kind === "policies"
          ? (
            <>
              {write.at("values") && <p class="problem" role="alert">{write.at("values")}</p>}
              {ASSIGNABLE.map((policy) => (
                <CheckField
                  key={policy.name}
                  label={policy.inverted
                    ? t("Block {title}", { title: inSentence(policy.title) })
                    : policy.title}
                  help={policy.description}
                  value={policies.value.includes(policy.name)}
                  onValue={(on) =>
                    policies.value = on
                      ? [...policies.value, policy.name]
                      : policies.value.filter((one) => one !== policy.name)}
                />
              ))}
            </>
          )
          : (
            <>
              <Field
                label={kind === "groups" ? t("Group") : t("Tag")}
                help={kind === "groups"
                  ? t("Existing or new. Members reach each other on all ports")
                  : t("Existing or new, comma-separated")}
                list={listId}
                autocomplete="off"
                {...(kind === "groups" ? { maxLength: formRules.label.maxLength } : {})}
                value={text.value}
                problem={labelFault(write)}
                onValue={(value) => {
                  text.value = value;
                  write.clear();
                }}
              />
              <datalist id={listId}>
                {known.map((name) => <option key={name} value={name} />)}
              </datalist>
            </>
          )}
        <div class="row wrap">
          <SubmitButton write={write} value="add">{t("Add…")}</SubmitButton>
          <SubmitButton write={write} class="btn" value="take">{t("Remove…")}</SubmitButton>
        </div>
      </Form>
    </Dialog>
  );
}

/** What is wrong with the names, whichever of the lists of the body the API names. */
function labelFault(write: FormState): string | null {
  return write.at("values") ?? write.at("Groups") ?? write.at("Tags");
}

function labelEdit(kind: "groups" | "tags", text: string, add: boolean): BulkEdit {
  const values = text.split(",").map((part) => part.trim().toLowerCase())
    .filter((part) => part !== "");
  return {
    field: kind === "groups" ? "Groups" : "DeviceTags",
    values,
    text: values.join(", "),
    add,
  };
}

function policyEdit(values: readonly string[], add: boolean): BulkEdit {
  const text = ASSIGNABLE.filter(({ name }) => values.includes(name))
    .map(({ chip }) => chip).join(", ");
  return { field: "Policies", values, text, add };
}
