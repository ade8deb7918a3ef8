import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { useEffect, useId } from "preact/hooks";
import { previewForm } from "../../actions/action.ts";
import { formRules } from "../../generated/form_rules.ts";
import { CheckField } from "../../parts/form/choice_field.tsx";
import { Dialog } from "../../parts/overlay/dialog.tsx";
import { Field } from "../../parts/form/field.tsx";
import { type FormState, useForm } from "../../parts/form/use_form.ts";
import { Form, SubmitButton } from "../../parts/form/form.tsx";
import { devices, groups } from "../../state/store.ts";
import { ASSIGNABLE } from "../../text/policies.ts";
import { count } from "../../text/format.ts";
import { type BulkEdit, editMany } from "./bulk_actions.ts";

type Kind = "groups" | "tags" | "policies";

const TITLES: Readonly<Record<Kind, string>> = {
  groups: "Groups",
  tags: "Tags",
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
        message: kind === "policies" ? "Select at least one" : "Enter a name",
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
      note={`${count(identities.length, "device")}, with a preview`}
      focusTitle={kind === "policies"}
      onClose={onClose}
    >
      <Form write={write} failed="No changes were made." class="inner form">
        {kind === "policies"
          ? (
            <>
              {write.at("values") && <p class="problem" role="alert">{write.at("values")}</p>}
              {ASSIGNABLE.map((policy) => (
                <CheckField
                  key={policy.name}
                  label={policy.inverted ? `Block ${policy.title.toLowerCase()}` : policy.title}
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
                label={kind === "groups" ? "Group" : "Tag"}
                help={kind === "groups"
                  ? "Existing or new. Members reach each other on all ports"
                  : "Existing or new, comma-separated"}
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
          <SubmitButton write={write} value="add">Add…</SubmitButton>
          <SubmitButton write={write} class="btn" value="take">Remove…</SubmitButton>
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
