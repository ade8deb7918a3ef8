import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { Dialog } from "../../../parts/overlay/dialog.tsx";
import { Form } from "../../../parts/form/form.tsx";
import { FormFooter } from "../../../parts/form/form_footer.tsx";
import type { DomainOverride } from "../wire.ts";
import { draftOf, ruleAction, type RuleDraft, RuleFields, useRuleForm } from "./rule_fields.tsx";
import { t } from "../../../text/language.ts";

/** A rule of a list to be edited. */
export interface RuleEdit {
  readonly rule: DomainOverride;
  /** Name of its list. */
  readonly list: string;
}

/** Edits a custom rule; all of it is replaced by one change. */
export function RuleDialog(
  { edit: { rule, list }, onClose, after }: {
    edit: RuleEdit;
    onClose: () => void;
    after: () => void;
  },
): VNode {
  const draft = useSignal<RuleDraft>(draftOf(rule));
  const write = useRuleForm(draft, () =>
    ruleAction(draft.value, {
      list,
      replaces: rule,
      after: () => {
        onClose();
        after();
      },
    }));
  return (
    <Dialog kind="drawer" title={t("Edit rule")} onClose={onClose}>
      <Form write={write} class="body form" id="edit-rule" failed={t("The rule was not saved.")}>
        <RuleFields draft={draft} write={write} />
      </Form>
      <FormFooter write={write} form="edit-rule" text={t("Save rule")} onClose={onClose} />
    </Dialog>
  );
}
