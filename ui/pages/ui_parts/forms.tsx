import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { SelectField } from "../../parts/form/choice_field.tsx";
import { Field } from "../../parts/form/field.tsx";
import { useForm } from "../../parts/form/use_form.ts";
import { Form, SubmitButton } from "../../parts/form/form.tsx";
import { ApiProblem } from "../../api/problem.ts";
import { say } from "../../state/toast.ts";
import { Panel } from "./panel.tsx";

const ANSWERS = [
  ["taken", "It is taken"],
  ["field", "A field is refused"],
  ["rest", "It is refused for another reason"],
  ["lost", "Somebody else was faster"],
  ["slow", "The answer takes long"],
] as const;

/** A form that writes, with each answer that it may get. */
export function Forms(): VNode {
  const port = useSignal("443");
  const answer = useSignal<string>("taken");
  const write = useForm({
    check: () => port.value === "" ? [{ pointer: "/Port", message: "This field is required" }] : [],
    async send({ overwrite: over }) {
      const wanted = over ? "taken" : answer.value;
      if (wanted === "slow") await new Promise((done) => setTimeout(done, 1000));
      const problem = refusal(wanted);
      if (problem !== null) throw problem;
      say({ text: `Port ${port.value} is kept${over ? ", over what somebody else wrote" : ""}.` });
    },
  });
  return (
    <Panel title="A form that writes">
      <Form
        write={write}
        failed="The port was not kept."
        onReload={() => port.value = "8443"}
      >
        <Field label="Port" help="One TCP port" {...write.text("Port", port)} />
        <SelectField
          label="What the router answers"
          value={answer.value}
          options={ANSWERS}
          onValue={(value) => answer.value = value}
        />
        <div class="row">
          <SubmitButton write={write}>Keep this port</SubmitButton>
        </div>
      </Form>
    </Panel>
  );
}

function refusal(wanted: string): ApiProblem | null {
  switch (wanted) {
    case "field":
      return new ApiProblem(400, "", {
        errors: [{ pointer: "/Port", message: "Port 443 leads to the router itself" }],
      });
    case "rest":
      return new ApiProblem(502, "nft: Could not process rule: No buffer space available");
    case "lost":
      return new ApiProblem(412, "The document has changed since it was read");
    default:
      return null;
  }
}
