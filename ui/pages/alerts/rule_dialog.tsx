import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { call } from "../../api/client.ts";
import type { ProblemItem } from "../../api/problem.ts";
import { SelectField } from "../../parts/form/choice_field.tsx";
import { Field } from "../../parts/form/field.tsx";
import { FieldNote } from "../../parts/form/field_note.tsx";
import { Form, SubmitButton } from "../../parts/form/form.tsx";
import { Switch } from "../../parts/form/switch.tsx";
import { type FormState, useForm } from "../../parts/form/use_form.ts";
import { Dialog } from "../../parts/overlay/dialog.tsx";
import { TrialView } from "./trial_view.tsx";
import type { AlertRule } from "./wire.ts";
import { t } from "../../text/language.ts";

const TYPES = [
  ["info", t("Information")],
  ["success", t("Success")],
  ["warning", t("Warning")],
  ["error", t("Error")],
] as const;

const CONDITIONS_HELP = t(
  'One JSONPath a line, for example $[?(@.type=="user")]. Empty = every event',
);

const NEW: AlertRule = {
  TopicPrefix: "",
  MatchAnyOne: false,
  InvertRule: false,
  Conditions: [],
  Name: "",
  Disabled: false,
  RuleId: "",
  Actions: [{
    SendNotification: false,
    StoreAlert: true,
    StoreTopicSuffix: "",
    BucketSuffix: "",
    MessageTitle: "",
    MessageBody: "",
    NotificationType: "warning",
    ActionType: "",
    GrabEvent: true,
    GrabValues: false,
    GrabFields: [],
  }],
};

/** Form of a rule, with what it would have found on the last day as it is typed. */
export function RuleDialog(
  { rule, onClose, onSaved }: {
    /** Null for a new one. */
    rule: AlertRule | null;
    onClose: () => void;
    onSaved: () => void;
  },
): VNode {
  const draft = useSignal<AlertRule>(rule ?? NEW);
  const conditions = useSignal((rule?.Conditions ?? []).map(({ JPath }) => JPath).join("\n"));
  const { Actions: [action = NEW.Actions[0]!, ...others], ...one } = draft.value;
  const wanted: AlertRule = {
    ...draft.value,
    Conditions: conditions.value.split("\n").map((line) => line.trim())
      .filter((line) => line !== "").map((JPath) => ({ JPath })),
  };
  const write = useForm({
    check: () => faults(wanted),
    async send() {
      const path = rule === null ? "/alerts" : `/alerts/${rule.RuleId}`;
      await call({ method: "PUT", path, body: wanted });
      onSaved();
      onClose();
    },
  });

  function set(part: Partial<AlertRule>): void {
    draft.value = { ...draft.value, ...part };
  }

  function act(part: Partial<typeof action>): void {
    set({ Actions: [{ ...action, ...part }, ...others] });
  }

  return (
    <Dialog
      kind="drawer"
      title={rule === null ? t("Add alert rule") : t("Edit alert rule")}
      note={t("An event that fits becomes an alert")}
      onClose={onClose}
    >
      <Form write={write} failed={t("The rule was not saved.")} class="body form" id="alert-rule">
        <Field
          label={t("Name")}
          autocomplete="off"
          maxLength={100}
          value={one.Name}
          problem={write.at("Name")}
          onValue={(Name) => edit("Name", () => set({ Name }))}
        />
        <Field
          label={t("Topic begins with")}
          help={t("For example auth:failure or wan:")}
          autocomplete="off"
          maxLength={200}
          value={one.TopicPrefix}
          problem={write.at("TopicPrefix")}
          onValue={(TopicPrefix) => edit("TopicPrefix", () => set({ TopicPrefix }))}
        />
        <Conditions
          write={write}
          value={conditions.value}
          onValue={(text) => edit("Conditions", () => conditions.value = text)}
        />
        <Setting
          label={t("One condition suffices")}
          on={one.MatchAnyOne}
          onFlip={(MatchAnyOne) => set({ MatchAnyOne })}
        />
        <Setting
          label={t("Fire where they do not match")}
          on={one.InvertRule}
          onFlip={(InvertRule) => set({ InvertRule })}
        />
        <Field
          label={t("Title")}
          help={t("{{name}} is a field of the event, {{MAC#Device}} the name of its device")}
          autocomplete="off"
          maxLength={200}
          value={action.MessageTitle}
          onValue={(MessageTitle) => act({ MessageTitle })}
        />
        <Field
          label={t("Text")}
          autocomplete="off"
          maxLength={2000}
          value={action.MessageBody}
          onValue={(MessageBody) => act({ MessageBody })}
        />
        <SelectField
          label={t("Kind")}
          value={action.NotificationType || "info"}
          options={TYPES}
          onValue={(NotificationType) => act({ NotificationType })}
        />
        <Setting
          label={t("List in the inbox")}
          on={action.StoreAlert}
          onFlip={(StoreAlert) => act({ StoreAlert })}
        />
        <Setting
          label={t("Notify")}
          on={action.SendNotification}
          onFlip={(SendNotification) => act({ SendNotification })}
        />
        <TrialView rule={faults(wanted).length === 0 ? wanted : null} />
      </Form>
      <footer class="row">
        <SubmitButton write={write} form="alert-rule" class="btn primary grow">
          {t("Save")}
        </SubmitButton>
        <button class="btn" type="button" onClick={onClose}>{t("Cancel")}</button>
      </footer>
    </Dialog>
  );

  function edit(name: string, change: () => void): void {
    write.edited(name);
    change();
  }
}

function faults({ Name, TopicPrefix }: AlertRule): readonly ProblemItem[] {
  return [
    ...(Name.trim() === "" ? [{ pointer: "/Name", message: t("Enter a name") }] : []),
    ...(TopicPrefix.trim() === ""
      ? [{ pointer: "/TopicPrefix", message: t("Enter the beginning of a topic") }]
      : []),
  ];
}

function Conditions(
  { write, value, onValue }: {
    write: FormState;
    value: string;
    onValue: (text: string) => void;
  },
): VNode {
  const problem = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
    .map((index) => write.at(`Conditions/${index}/JPath`)).find((one) => one) ?? null;
  return (
    <div class={problem ? "field bad" : "field"}>
      <label for="alert-conditions">{t("Conditions")}</label>
      <textarea
        id="alert-conditions"
        class="input mono"
        rows={3}
        spellcheck={false}
        aria-describedby="alert-conditions-note"
        aria-invalid={problem ? true : undefined}
        value={value}
        onInput={(event) => onValue(event.currentTarget.value)}
      />
      <FieldNote
        id="alert-conditions-note"
        problem={problem}
        help={CONDITIONS_HELP}
      />
    </div>
  );
}

function Setting(
  { label, on, onFlip }: { label: string; on: boolean; onFlip: (on: boolean) => void },
): VNode {
  return (
    <div class="row alert-setting">
      <span class="grow" aria-hidden="true">{label}</span>
      <Switch label={label} on={on} onFlip={() => onFlip(!on)} />
    </div>
  );
}
