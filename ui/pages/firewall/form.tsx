import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { useId } from "preact/hooks";
import { openPreview, previewForm } from "../../actions/action.ts";
import { type BodyRules, checkBody } from "../../parts/form/body_check.ts";
import { formBodies } from "../../generated/form_rules.ts";
import { Dialog } from "../../parts/overlay/dialog.tsx";
import { SelectField } from "../../parts/form/choice_field.tsx";
import { Name } from "../../parts/show/name.tsx";
import { useForm } from "../../parts/form/use_form.ts";
import { FormFooter } from "../../parts/form/form_footer.tsx";
import { Form } from "../../parts/form/form.tsx";
import { deleteRule, putRule } from "./actions.ts";
import { blankValues, FIELDS, type RuleField, ruleOf, type Values, valuesOf } from "./fields.ts";
import { AddressList, RuleInput } from "./inputs.tsx";
import { type Kind, kindOf, KINDS } from "./kinds.ts";
import { type Hits, metText } from "./table.tsx";
import type { AnyRule, RuleCounter } from "./wire.ts";

/** What the form is open for: a rule that is there, or a new one that may begin as a copy. */
export interface Editing {
  readonly kind: Kind;
  readonly rule: AnyRule | null;
  readonly copyOf?: AnyRule;
}

/** What a rule that is there does: the part of it that makes it this rule. */
function Says(
  { kind, rule, hits }: { kind: Kind; rule: AnyRule; hits: RuleCounter | null },
): VNode {
  const { name, from, to, does } = kind.text(rule);
  return (
    <section class="part first" aria-label="Effect">
      <p class="any">
        <Name>{name}</Name> <Name>{does}</Name>.
      </p>
      <dl class="kv">
        <dt>From</dt>
        <dd>
          <Name>{from}</Name>
        </dd>
        <dt>To</dt>
        <dd>
          <Name>{to}</Name>
        </dd>
        <dt>Apply</dt>
        <dd>{metText(hits) ?? "Not known"}</dd>
      </dl>
      <p class="s quiet">
        This identifies the rule. To change it, copy the rule and delete this one.
      </p>
    </section>
  );
}

/** What most rules are made for, by the path of their kind. */
const CARDS = [
  ["forward", "Forward a port", "From the Internet to a device"],
  ["block_forward", "Block", "Ports between devices, or to the Internet"],
  ["endpoint", "Allow a service", "For devices with a tag"],
] as const;

/** The kinds of rule that are made most, to choose from; the list below has the others. */
function KindCards({ kind, onKind }: { kind: Kind; onKind: (path: string) => void }): VNode {
  const id = useId();
  return (
    <fieldset class="field">
      <legend class="label">What the rule does</legend>
      <div class="pick cards">
        {CARDS.map(([path, title, help]) => (
          <label key={path}>
            <input
              class="radio"
              type="radio"
              name={id}
              checked={kind.path === path}
              onChange={() => onKind(path)}
            />
            <b>{title}</b>
            <small>{help}</small>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

/** The form of a rule. Nothing is written before its preview, which opens over it. */
export function RuleForm(
  { editing, hits, onEdit, onClose, onDone }: {
    editing: Editing;
    hits: Hits;
    onEdit: (next: Editing) => void;
    onClose: () => void;
    onDone: () => void;
  },
): VNode {
  const { kind, rule } = editing;
  const start = rule ?? editing.copyOf;
  const values = useSignal<Values>(
    start ? valuesOf(kind.list, start) : blankValues(kind.list),
  );
  const rules: BodyRules = formBodies[kind.list];
  const fields = FIELDS[kind.list];
  const fixed = (field: RuleField): boolean => rule !== null && field.known === true;
  const finish = () => {
    onClose();
    onDone();
  };

  const write = useForm({
    check: () => checkBody(rules, { ...ruleOf(kind.list, values.value) }),
    send: () => previewForm(putRule(kind, ruleOf(kind.list, values.value), rule !== null, finish)),
  });

  return (
    <Dialog
      kind="drawer"
      title={rule === null ? `New ${kind.one}` : kind.text(rule).name}
      note={kind.help}
      onClose={onClose}
    >
      <Form write={write} failed="Nothing was changed." id="rule-form" class="body form">
        {rule === null && (
          <>
            <KindCards
              kind={kind}
              onKind={(path) => onEdit({ kind: kindOf(path) ?? kind, rule: null })}
            />
            <SelectField
              label="Type"
              value={kind.path}
              options={KINDS.map(({ path, title }) => [path, title])}
              onValue={(path) => onEdit({ kind: kindOf(path) ?? kind, rule: null })}
            />
          </>
        )}
        {rule !== null && fields.some(fixed) && (
          <Says kind={kind} rule={rule} hits={hits(kind, rule)} />
        )}
        {fields.filter((field) => !fixed(field)).map((field) => (
          <RuleInput
            key={field.name}
            field={field}
            values={values.value}
            problem={write.at(field.name)}
            maxLength={rules[field.name]?.maxLength}
            onValue={(value) => {
              values.value = { ...values.value, [field.name]: value };
              write.edited(field.name);
            }}
          />
        ))}
        <AddressList />
      </Form>
      <FormFooter
        write={write}
        form="rule-form"
        text={rule === null ? "Preview rule" : "Preview change"}
        onClose={rule === null ? onClose : undefined}
      >
        {rule !== null && (
          <>
            <button
              class="btn"
              type="button"
              onClick={() => onEdit({ kind, rule: null, copyOf: rule })}
            >
              Copy
            </button>
            <button
              class="btn danger"
              type="button"
              onClick={() => openPreview(deleteRule(kind, rule, finish))}
            >
              Delete
            </button>
          </>
        )}
      </FormFooter>
    </Dialog>
  );
}
