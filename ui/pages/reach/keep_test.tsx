import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { applySmall } from "../../act.ts";
import { checkBody, fieldMessage, formMessage } from "../../form_check.ts";
import { formBodies } from "../../generated/form_rules.ts";
import { SelectField } from "../../parts/choice_field.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Fault } from "../../parts/fault.tsx";
import { Field, focusFirstProblem } from "../../parts/field.tsx";
import { ApiProblem, wordsOf } from "../../problem.ts";
import { devices } from "../../store.ts";
import { endName } from "../../words.ts";
import { keepTest, type ReachTest } from "./acts.ts";
import { type Question, testWords } from "./words.ts";

const EXPECT = [["accept", "It must work"], ["drop", "It must not work"]] as const;

/** Names a question and what its answer must stay. */
export function KeepTest(
  { question, expect, onClose, onDone }: {
    question: Question;
    expect: "accept" | "drop";
    onClose: () => void;
    onDone: () => void;
  },
): VNode {
  const wanted = useSignal<string>(expect);
  const words = (Expect: "accept" | "drop"): string =>
    testWords(testOf("", Expect), (end) => endName(end, devices.value ?? {}));
  const name = useSignal(words(expect).slice(0, formBodies.ReachTest.Name.maxLength));
  const problem = useSignal<ApiProblem | null>(null);
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => form.current?.querySelector("input")?.select(), []);

  function testOf(Name: string, Expect: "accept" | "drop"): ReachTest {
    const { from: From, to: To, protocol: Protocol, port: Port } = question;
    return { Name, From, To, Protocol, Port, Expect };
  }

  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    const Expect = wanted.value === "accept" ? "accept" : "drop";
    const test = testOf(name.value.trim(), Expect);
    try {
      const errors = checkBody(formBodies.ReachTest, { ...test });
      if (errors.length > 0) throw new ApiProblem(400, "", { errors });
      await applySmall(keepTest(test, words(Expect), onDone));
      onClose();
    } catch (error) {
      problem.value = error instanceof ApiProblem ? error : new ApiProblem(0, wordsOf(error));
      focusFirstProblem(form.current);
    }
  }

  const other = formMessage(problem.value, ["Name", "Expect"]);
  return (
    <Dialog
      kind="box"
      title="Keep as a test"
      note="Every later change is held against it"
      focusTitle={false}
      onClose={onClose}
    >
      <form class="inner form" ref={form} noValidate onSubmit={(event) => void submit(event)}>
        {other && <Fault title="The test was not kept.">{other}</Fault>}
        <Field
          label="Name"
          problem={fieldMessage(problem.value, "Name")}
          maxLength={formBodies.ReachTest.Name.maxLength}
          autocomplete="off"
          value={name.value}
          onValue={(value) => name.value = value}
        />
        <SelectField
          label="What must stay true"
          value={wanted.value}
          options={EXPECT}
          onValue={(value) => wanted.value = value}
        />
        <div class="row">
          <button class="btn primary" type="submit">Keep this test</button>
          <button class="btn" type="button" onClick={onClose}>Back</button>
        </div>
      </form>
    </Dialog>
  );
}
