import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { applyOrPreview } from "../../../actions/action.ts";
import { SelectField } from "../../../parts/form/choice_field.tsx";
import { Field } from "../../../parts/form/field.tsx";
import { useForm } from "../../../parts/form/use_form.ts";
import { Form, SubmitButton } from "../../../parts/form/form.tsx";
import { clientAt, clientChoices } from "../log/clients.ts";
import { listed } from "../lists/actions.ts";
import { decideName } from "./actions.ts";
import { DEFAULT_LIST, listText } from "./list_actions.ts";
import { DURATIONS } from "../text.ts";

/** A name to decide about, in one of the lists of overrides. */
export function NewOverride(
  { lists, after }: { lists: readonly string[]; after: () => void },
): VNode {
  const list = useSignal(DEFAULT_LIST);
  // It may be gone by now.
  const into = lists.includes(list.value) ? list.value : DEFAULT_LIST;
  const domain = useSignal("");
  const type = useSignal<"block" | "permit" | "answer">("block");
  const client = useSignal("*");
  const seconds = useSignal("0");
  const instead = useSignal("");
  const tags = useSignal("");
  const write = useForm({
    check: () => [
      ...(domain.value.trim() === ""
        ? [{ pointer: "/Domain", message: "This field is required" }]
        : []),
      ...(type.value === "answer" && instead.value.trim() === ""
        ? [{ pointer: "/ResultIP", message: "This field is required" }]
        : []),
    ],
    send: async () => {
      await applyOrPreview(
        decideName({
          type: type.value === "permit" ? "permit" : "block",
          domain: domain.value.trim(),
          client: client.value,
          who: clientAt(client.value) ?? "",
          seconds: seconds.value,
          instead: type.value === "answer" ? instead.value.trim() : "",
          tags: listed(tags.value),
        }, () => {
          domain.value = instead.value = tags.value = "";
          after();
        }, into),
      );
    },
  });
  return (
    <section class="panel" aria-labelledby="new-override">
      <header>
        <h2 id="new-override">Add rule</h2>
      </header>
      <Form write={write} class="form pad" failed="The rule was not added.">
        <Field
          label="Domain"
          help="For example ads.example.com. Includes subdomains"
          autocomplete="off"
          {...write.text("Domain", domain)}
        />
        <SelectField
          label="Action"
          value={type.value}
          options={[
            ["block", "Block"],
            ["permit", "Allow"],
            ["answer", "Rewrite to"],
          ]}
          onValue={(value) => type.value = value as typeof type.value}
        />
        {type.value === "answer" && (
          <Field
            label="Rewrite to"
            help="IP address or domain, for example 192.168.2.10"
            autocomplete="off"
            value={instead.value}
            problem={write.at("ResultIP") ?? write.at("ResultCNAME")}
            onValue={(value) => {
              instead.value = value;
              write.edited("ResultIP");
              write.edited("ResultCNAME");
            }}
          />
        )}
        <SelectField
          label="Applies to"
          value={client.value}
          problem={write.at("ClientIP")}
          options={[["*", "All devices"], ...clientChoices()]}
          onValue={(value) => client.value = value}
        />
        <Field
          label="Device tags"
          help="Comma-separated; empty = all"
          autocomplete="off"
          {...write.text("Tags", tags)}
        />
        {lists.some((name) => name !== DEFAULT_LIST) && (
          <SelectField
            label="Rule list"
            value={into}
            options={[
              [DEFAULT_LIST, listText({ Name: DEFAULT_LIST })],
              ...lists.filter((name) => name !== DEFAULT_LIST).map((name) => [name, name] as const),
            ]}
            onValue={(value) => list.value = value}
          />
        )}
        <SelectField
          label="Duration"
          value={seconds.value}
          options={DURATIONS}
          onValue={(value) => seconds.value = value}
        />
        <div class="row">
          <SubmitButton write={write}>Add</SubmitButton>
        </div>
      </Form>
    </section>
  );
}
