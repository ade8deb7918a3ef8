import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { useEffect, useId, useRef } from "preact/hooks";
import { previewForm } from "../../act.ts";
import { formRules } from "../../generated/form_rules.ts";
import { CheckField } from "../../parts/choice_field.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Fault } from "../../parts/fault.tsx";
import { Field, focusFirstProblem } from "../../parts/field.tsx";
import { ApiProblem, wordsOf } from "../../problem.ts";
import { devices, groups } from "../../store.ts";
import { ACCESS, count, FAMILY, type PolicyWords, QUARANTINE } from "../../words.ts";
import { type BulkEdit, editMany } from "./bulk_acts.ts";

type Kind = "groups" | "tags" | "policies";

const TITLES: Readonly<Record<Kind, string>> = {
  groups: "Groups",
  tags: "Tags",
  policies: "Policies",
};
const POLICIES: readonly PolicyWords[] = [
  ...ACCESS.slice(0, 2),
  FAMILY,
  ...ACCESS.slice(2),
  QUARANTINE,
];

/** Asks what to add to the chosen devices or to take from them; its preview opens over it. */
export function BulkDialog(
  { kind, identities, onClose }: {
    kind: Kind;
    identities: readonly string[];
    onClose: () => void;
  },
): VNode {
  const text = useSignal("");
  const policies = useSignal<readonly string[]>([]);
  const problem = useSignal<string | null>(null);
  const form = useRef<HTMLFormElement>(null);
  const listId = useId();
  useEffect(() => form.current?.querySelector<HTMLElement>(".input")?.focus(), []);

  async function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    problem.value = null;
    const add = event.submitter?.getAttribute("value") !== "take";
    const edit = kind === "policies"
      ? policyEdit(policies.value, add)
      : labelEdit(kind, text.value, add);
    if (edit.values.length === 0) {
      problem.value = kind === "policies" ? "Choose at least one" : "Write a name";
      return focusFirstProblem(form.current);
    }
    try {
      await previewForm({ ...editMany(identities, edit), after: onClose });
    } catch (error) {
      problem.value = error instanceof ApiProblem && error.errors[0] !== undefined
        ? error.errors[0].message
        : wordsOf(error);
      focusFirstProblem(form.current);
    }
  }

  const known = kind === "groups"
    ? (groups.value ?? []).map(({ Name }) => Name)
    : [...new Set(Object.values(devices.value ?? {}).flatMap(({ DeviceTags }) => DeviceTags))];
  return (
    <Dialog
      kind="box"
      title={TITLES[kind]}
      note={`Of ${count(identities.length, "device")}; a preview comes first`}
      focusTitle={kind === "policies"}
      onClose={onClose}
    >
      <form
        class="inner form"
        ref={form}
        noValidate
        onSubmit={(event) => void submit(event as SubmitEvent)}
      >
        {kind === "policies"
          ? (
            <>
              {problem.value && <Fault title={problem.value} />}
              {POLICIES.map((words) => (
                <CheckField
                  key={words.policy}
                  label={words.inverted ? "No router admin" : words.label}
                  help={words.inverted ? "This page and SSH on the router stay shut" : words.help}
                  value={policies.value.includes(words.policy)}
                  onValue={(on) =>
                    policies.value = on
                      ? [...policies.value, words.policy]
                      : policies.value.filter((one) => one !== words.policy)}
                />
              ))}
            </>
          )
          : (
            <>
              <Field
                label={kind === "groups" ? "Group" : "Tag"}
                help={kind === "groups"
                  ? "Known or new. Members reach each other on all ports"
                  : "Known or new. Several by commas"}
                list={listId}
                autocomplete="off"
                {...(kind === "groups" ? { maxLength: formRules.label.maxLength } : {})}
                problem={problem.value}
                value={text.value}
                onValue={(value) => text.value = value}
              />
              <datalist id={listId}>
                {known.map((name) => <option key={name} value={name} />)}
              </datalist>
            </>
          )}
        <div class="row wrap">
          <button class="btn primary" type="submit" value="add">Preview adding</button>
          <button class="btn" type="submit" value="take">Preview taking away</button>
        </div>
      </form>
    </Dialog>
  );
}

function labelEdit(kind: "groups" | "tags", text: string, add: boolean): BulkEdit {
  const values = text.split(",").map((part) => part.trim().toLowerCase())
    .filter((part) => part !== "");
  return {
    field: kind === "groups" ? "Groups" : "DeviceTags",
    values,
    words: values.join(", "),
    add,
  };
}

function policyEdit(values: readonly string[], add: boolean): BulkEdit {
  const words = POLICIES.filter(({ policy }) => values.includes(policy))
    .map(({ chip }) => chip).join(", ");
  return { field: "Policies", values, words, add };
}
