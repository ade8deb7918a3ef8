import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { SelectField } from "../../../parts/form/choice_field.tsx";
import { Form, SubmitButton } from "../../../parts/form/form.tsx";
import { DEFAULT_LIST, listText } from "./list_actions.ts";
import { NEW_RULE, ruleAction, type RuleDraft, RuleFields, useRuleForm } from "./rule_fields.tsx";
import { t } from "../../../text/language.ts";

/** A name to decide about, in one of the lists of overrides. */
export function NewOverride(
  { lists, after }: { lists: readonly string[]; after: () => void },
): VNode {
  const list = useSignal(DEFAULT_LIST);
  // It may be gone by now.
  const into = lists.includes(list.value) ? list.value : DEFAULT_LIST;
  const draft = useSignal<RuleDraft>(NEW_RULE);
  const write = useRuleForm(draft, () =>
    ruleAction(draft.value, {
      list: into,
      after: () => {
        draft.value = { ...draft.value, domain: "", instead: "", tags: "" };
        after();
      },
    }));
  return (
    <section class="panel" aria-labelledby="new-override">
      <header>
        <h2 id="new-override">{t("Add rule")}</h2>
      </header>
      <Form write={write} class="form pad" failed={t("The rule was not added.")}>
        <RuleFields draft={draft} write={write} />
        {lists.some((name) => name !== DEFAULT_LIST) && (
          <SelectField
            label={t("Rule list")}
            value={into}
            options={[
              [DEFAULT_LIST, listText({ Name: DEFAULT_LIST })],
              ...lists.filter((name) => name !== DEFAULT_LIST).map((name) => [name, name] as const),
            ]}
            onValue={(value) => list.value = value}
          />
        )}
        <div class="row">
          <SubmitButton write={write}>{t("Add")}</SubmitButton>
        </div>
      </Form>
    </section>
  );
}
