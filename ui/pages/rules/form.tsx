import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { openPreview, previewForm } from "../../act.ts";
import { type BodyRules, checkBody, fieldMessage, formMessage, without } from "../../form_check.ts";
import { formBodies } from "../../generated/form_rules.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { Fault } from "../../parts/fault.tsx";
import { SelectField } from "../../parts/choice_field.tsx";
import { focusFirstProblem } from "../../parts/field.tsx";
import { Name } from "../../parts/name.tsx";
import { ApiProblem, wordsOf } from "../../problem.ts";
import { deleteRule, putRule } from "./acts.ts";
import { blankValues, FIELDS, type RuleField, ruleOf, type Values, valuesOf } from "./fields.ts";
import { PlaceList, RuleInput } from "./inputs.tsx";
import { type Kind, kindOf, KINDS } from "./kinds.ts";
import { type Hits, metWords } from "./table.tsx";
import type { AnyRule } from "./wire.ts";

/** What the form is open for: a rule that is there, or a new one that may begin as a copy. */
export interface Editing {
  readonly kind: Kind;
  readonly rule: AnyRule | null;
  readonly copyOf?: AnyRule;
}

/** What a rule that is there does: the part of it that makes it this rule. */
function Says(
  { kind, rule, hits }: { kind: Kind; rule: AnyRule; hits: number | null },
): VNode {
  const { name, from, to, does } = kind.words(rule);
  return (
    <section class="part first" aria-label="What it does">
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
        <dt>Use</dt>
        <dd>{metWords(hits) ?? "Not known"}</dd>
      </dl>
      <p class="s quiet">
        It is known by this. To say something else, copy it and delete this one.
      </p>
    </section>
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
  const problem = useSignal<ApiProblem | null>(null);
  const busy = useSignal(false);
  const form = useRef<HTMLFormElement>(null);
  const rules: BodyRules = formBodies[kind.list];
  const fields = FIELDS[kind.list];
  const fixed = (field: RuleField): boolean => rule !== null && field.known === true;
  const finish = () => {
    onClose();
    onDone();
  };

  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    if (busy.value) return;
    busy.value = true;
    problem.value = null;
    const body = ruleOf(kind.list, values.value);
    try {
      const errors = checkBody(rules, body as unknown as Record<string, unknown>);
      if (errors.length > 0) throw new ApiProblem(400, "", { errors });
      await previewForm(putRule(kind, body, rule !== null, finish));
    } catch (error) {
      problem.value = error instanceof ApiProblem ? error : new ApiProblem(0, wordsOf(error));
      focusFirstProblem(form.current);
    } finally {
      busy.value = false;
    }
  }

  const other = formMessage(problem.value, fields.map(({ name }) => name));
  return (
    <Dialog
      kind="drawer"
      title={rule === null ? `New ${kind.one}` : kind.words(rule).name}
      note={kind.help}
      onClose={onClose}
    >
      <form
        class="body form"
        id="rule-form"
        ref={form}
        noValidate
        onSubmit={(event) => void submit(event)}
      >
        {other && <Fault title="Nothing was changed.">{other}</Fault>}
        {rule === null && (
          <SelectField
            label="Kind"
            value={kind.path}
            options={KINDS.map(({ path, title }) => [path, title])}
            onValue={(path) => onEdit({ kind: kindOf(path) ?? kind, rule: null })}
          />
        )}
        {rule !== null && fields.some(fixed) && (
          <Says kind={kind} rule={rule} hits={hits(kind, rule)} />
        )}
        {fields.filter((field) => !fixed(field)).map((field) => (
          <RuleInput
            key={field.name}
            field={field}
            values={values.value}
            problem={fieldMessage(problem.value, field.name)}
            maxLength={rules[field.name]?.maxLength}
            onValue={(value) => {
              values.value = { ...values.value, [field.name]: value };
              problem.value = without(problem.value, field.name);
            }}
          />
        ))}
        <PlaceList />
      </form>
      <footer>
        <div class="row">
          <button class="btn primary grow" type="submit" form="rule-form" disabled={busy.value}>
            {rule === null ? "Preview this rule" : "Preview this change"}
          </button>
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
          {rule === null && <button class="btn" type="button" onClick={onClose}>Back</button>}
        </div>
      </footer>
    </Dialog>
  );
}
