import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { previewForm } from "../../../actions/action.ts";
import { CheckField, SelectField } from "../../../parts/form/choice_field.tsx";
import { Field } from "../../../parts/form/field.tsx";
import { useForm } from "../../../parts/form/use_form.ts";
import { Form, SubmitButton } from "../../../parts/form/form.tsx";
import type { Link } from "./wire.ts";

const SOURCES: readonly (readonly [string, string])[] = [
  ["own", "Hardware"],
  ["chosen", "Custom"],
  ["drawn", "Random"],
];

const SENTENCES: Readonly<Record<string, string>> = {
  own: "uses its hardware MAC address.",
  chosen: "uses a custom MAC address.",
  drawn: "uses a random MAC address until you change it.",
};

/** The MAC address of an interface. */
export function CardForm(
  { link, etag, onDone }: { link: Link; etag: string | null; onDone: () => void },
): VNode {
  const source = useSignal(link.MACOverride ? "chosen" : link.MACRandomize ? "drawn" : "own");
  const mac = useSignal(link.MACOverride ?? "");
  const cloak = useSignal(link.MACCloak ?? false);
  const write = useForm({
    check: () =>
      source.value === "chosen" && mac.value.trim() === ""
        ? [{
          pointer: "/MACOverride",
          message: "Enter a MAC address, for example 02:00:00:00:0a:01",
        }]
        : [],
    send: ({ overwrite: over }) =>
      previewForm({
        title: `Preview: MAC address of ${link.Name}`,
        subject: link.Name,
        sentence: SENTENCES[source.value] ?? "",
        details: ["The interface goes down briefly."],
        button: "Apply without auto-revert",
        done: SENTENCES[source.value] ?? "",
        confirmWithin: 90,
        after: onDone,
        request: () => ({
          method: "PUT",
          path: "/link/config",
          ifMatch: over ? null : etag,
          body: {
            Name: link.Name,
            MACOverride: source.value === "chosen" ? mac.value.trim() : "",
            MACRandomize: source.value === "drawn",
            MACCloak: source.value === "drawn" && cloak.value,
          },
        }),
      }),
  });
  return (
    <Form write={write} class="form part" failed="The MAC address was not saved.">
      <h3>MAC address</h3>
      <SelectField
        label="MAC address type"
        value={source.value}
        options={SOURCES}
        onValue={(value) => source.value = value}
      />
      {source.value === "chosen" && (
        <Field
          label="MAC address"
          help="For example 02:00:00:00:0a:01"
          autocomplete="off"
          {...write.text("MACOverride", mac)}
        />
      )}
      {source.value === "drawn" && (
        <CheckField
          label="Use a common vendor prefix"
          help="Hides that the address is random"
          value={cloak.value}
          onValue={(value) => cloak.value = value}
        />
      )}
      <div class="row">
        <SubmitButton write={write}>Preview MAC address</SubmitButton>
      </div>
    </Form>
  );
}
