import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { applyOrPreview } from "../../actions/apply.ts";
import { checkBody } from "../../parts/form/body_check.ts";
import { formBodies } from "../../generated/form_rules.ts";
import { SelectField } from "../../parts/form/choice_field.tsx";
import { Dialog } from "../../parts/overlay/dialog.tsx";
import { Field } from "../../parts/form/field.tsx";
import { devices } from "../../state/store.ts";
import { endName } from "../../text/format.ts";
import { type ReachTest, saveTest } from "./actions.ts";
import { type Question, testText } from "./text.ts";
import { useForm } from "../../parts/form/use_form.ts";
import { Form, SubmitButton } from "../../parts/form/form.tsx";
import { t } from "../../text/language.ts";

const EXPECT = [["accept", t("Allowed")], ["drop", t("Blocked")]] as const;

/** Form to save an access test. */
export function SaveTest(
  { question, expect, onClose, onDone }: {
    question: Question;
    expect: "accept" | "drop";
    onClose: () => void;
    onDone: () => void;
  },
): VNode {
  const wanted = useSignal<string>(expect);
  const text = (Expect: "accept" | "drop"): string =>
    testText(testOf("", Expect), (end) => endName(end, devices.value ?? {}));
  const name = useSignal(text(expect).slice(0, formBodies.ReachTest.Name.maxLength));
  function testOf(Name: string, Expect: "accept" | "drop"): ReachTest {
    const { from: From, to: To, protocol: Protocol, port: Port } = question;
    return { Name, From, To, Protocol, Port, Expect };
  }

  const chosen = (): "accept" | "drop" => wanted.value === "accept" ? "accept" : "drop";
  const write = useForm({
    check: () => checkBody(formBodies.ReachTest, { ...testOf(name.value.trim(), chosen()) }),
    async send() {
      const test = testOf(name.value.trim(), chosen());
      await applyOrPreview(saveTest(test, text(test.Expect), onDone));
      onClose();
    },
  });
  useEffect(() => write.form.current?.querySelector("input")?.select(), []);

  return (
    <Dialog
      kind="box"
      title={t("Save as test")}
      note={t("Checked on every later change")}
      focusTitle={false}
      onClose={onClose}
    >
      <Form write={write} failed={t("The test was not saved.")} class="inner form">
        <Field
          label={t("Name")}
          maxLength={formBodies.ReachTest.Name.maxLength}
          autocomplete="off"
          {...write.text("Name", name)}
        />
        <SelectField
          label={t("Expected result")}
          problem={write.at("Expect")}
          value={wanted.value}
          options={EXPECT}
          onValue={(value) => wanted.value = value}
        />
        <div class="row">
          <SubmitButton write={write}>{t("Save test")}</SubmitButton>
          <button class="btn" type="button" onClick={onClose}>{t("Cancel")}</button>
        </div>
      </Form>
    </Dialog>
  );
}
