import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { useId } from "preact/hooks";
import { openPreview } from "../../actions/action.ts";
import { previewForm } from "../../actions/apply.ts";
import { ApiProblem, type ProblemItem } from "../../api/problem.ts";
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
import { type Line, membersOf, takenNames } from "./lines.ts";
import { type Hits, metText } from "./table.tsx";
import type { AnyRule, Firewall, RuleCounter } from "./wire.ts";
import { t } from "../../text/language.ts";

/** What the form is open for: a rule that is there, or a new one that may begin as a copy. */
export interface Editing {
  readonly kind: Kind;
  readonly line: Line | null;
  readonly copyOf?: AnyRule;
}

/** What a rule that is there does: the part of it that makes it this rule. */
function Says(
  { kind, rule, hits }: { kind: Kind; rule: AnyRule; hits: RuleCounter | null },
): VNode {
  const { name, from, to, service, does } = kind.text(rule);
  return (
    <section class="part first" aria-label={t("Effect")}>
      <p class="any">
        <Name>{name}</Name> <Name>{does}</Name>.
      </p>
      <dl class="kv">
        <dt>{t("From")}</dt>
        <dd>
          <Name>{from}</Name>
        </dd>
        <dt>{t("To")}</dt>
        <dd>
          <Name>{to}</Name>
        </dd>
        <dt>{t("Service")}</dt>
        <dd>{service}</dd>
        <dt>{t("Apply")}</dt>
        <dd>{metText(hits) ?? t("Not known")}</dd>
      </dl>
      <p class="s quiet">
        {t("This identifies the rule. To change it, copy the rule and delete this one.")}
      </p>
    </section>
  );
}

/** What most rules are made for, by the path of their kind. */
const CARDS = [
  ["forward", t("Forward a port"), t("From the Internet to a device")],
  ["block_forward", t("Block"), t("Ports between devices, or to the Internet")],
  ["endpoint", t("Allow a service"), t("For devices with a tag")],
] as const;

/** The kinds of rule that are made most, to choose from; the list below has the others. */
function KindCards({ kind, onKind }: { kind: Kind; onKind: (path: string) => void }): VNode {
  const id = useId();
  return (
    <fieldset class="field">
      <legend class="label">{t("What the rule does")}</legend>
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

/** A problem of several rules at the fields of the one that is typed. */
function ofOneRule({ status, message, members, errors }: ApiProblem): ApiProblem {
  return new ApiProblem(status, message, {
    ...members,
    errors: errors.map((one) => ({
      ...one,
      pointer: one.pointer.replace(/^\/(Put|Delete)\/\w+\/\d+(?=\/)/, ""),
    })),
  });
}

/** What is wrong with a rule that would be written over another one, at the field that can change it. */
function takenProblems(
  rule: AnyRule,
  { kind, line }: Editing,
  firewall: Firewall,
): readonly ProblemItem[] {
  const [name] = takenNames({ kind, rule }, line, firewall);
  if (name === undefined) return [];
  if (line === null) {
    const message = t("There is already a rule “{name}”; choose another name", { name });
    return [{ pointer: "/RuleName", message }];
  }
  const message = t(
    "The UDP part would be named “{name}”, as another rule is; copy this rule under another name",
    { name },
  );
  return [{ pointer: "/Protocol", message }];
}

/** The form of a rule. Nothing is written before its preview, which opens over it. */
export function RuleForm(
  { editing, firewall, hits, onEdit, onClose, onDone }: {
    editing: Editing;
    firewall: Firewall;
    hits: Hits;
    onEdit: (next: Editing) => void;
    onClose: () => void;
    onDone: () => void;
  },
): VNode {
  const { kind, line } = editing;
  const rule = line?.rule ?? null;
  const start = rule ?? editing.copyOf;
  const values = useSignal<Values>(
    start ? valuesOf(kind.list, start) : blankValues(kind.list),
  );
  const rules: BodyRules = formBodies[kind.list];
  const fields = FIELDS[kind.list];
  // The first of the rules that it stands for; the other differs in its protocol alone.
  const written = () => ruleOf(kind.list, values.value);
  const fixed = (field: RuleField): boolean => rule !== null && field.known === true;
  const finish = () => {
    onClose();
    onDone();
  };

  const write = useForm({
    check: () => [
      ...checkBody(rules, { ...membersOf(kind, written())[0] }),
      ...takenProblems(written(), editing, firewall),
    ],
    send: async () => {
      try {
        await previewForm(putRule(kind, written(), line, finish));
      } catch (error) {
        throw error instanceof ApiProblem ? ofOneRule(error) : error;
      }
    },
  });

  return (
    <Dialog
      kind="drawer"
      title={rule === null ? kind.fresh : kind.text(rule).name}
      note={kind.help}
      onClose={onClose}
    >
      <Form write={write} failed={t("Nothing was changed.")} id="rule-form" class="body form">
        {rule === null && (
          <>
            <KindCards
              kind={kind}
              onKind={(path) => onEdit({ kind: kindOf(path) ?? kind, line: null })}
            />
            <SelectField
              label={t("Type")}
              value={kind.path}
              options={KINDS.map(({ path, title }) => [path, title])}
              onValue={(path) => onEdit({ kind: kindOf(path) ?? kind, line: null })}
            />
          </>
        )}
        {line !== null && fields.some(fixed) && (
          <Says kind={kind} rule={line.rule} hits={hits(line)} />
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
        text={rule === null ? t("Preview rule") : t("Preview change")}
        onClose={rule === null ? onClose : undefined}
      >
        {line !== null && (
          <>
            <button
              class="btn"
              type="button"
              onClick={() => onEdit({ kind, line: null, copyOf: line.rule })}
            >
              {t("Copy")}
            </button>
            <button
              class="btn danger"
              type="button"
              onClick={() => openPreview(deleteRule(line, finish))}
            >
              {t("Delete")}
            </button>
          </>
        )}
      </FormFooter>
    </Dialog>
  );
}
