import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { previewForm } from "../../../actions/action.ts";
import { CheckField, SelectField } from "../../../parts/form/choice_field.tsx";
import { Field } from "../../../parts/form/field.tsx";
import { useForm } from "../../../parts/form/use_form.ts";
import { Form, SubmitButton } from "../../../parts/form/form.tsx";
import type { Link } from "./wire.ts";

const WAYS: readonly (readonly [string, string])[] = [
  ["own", "Its own"],
  ["chosen", "One that I write"],
  ["drawn", "One that is drawn"],
];

const SENTENCES: Readonly<Record<string, string>> = {
  own: "shows the address of its own card.",
  chosen: "shows the card’s address that you wrote.",
  drawn: "shows a drawn card’s address, until you choose anew.",
};

/** Which card’s address a link shows to others. */
export function CardForm(
  { link, etag, onDone }: { link: Link; etag: string | null; onDone: () => void },
): VNode {
  const way = useSignal(link.MACOverride ? "chosen" : link.MACRandomize ? "drawn" : "own");
  const mac = useSignal(link.MACOverride ?? "");
  const cloak = useSignal(link.MACCloak ?? false);
  const write = useForm({
    check: () =>
      way.value === "chosen" && mac.value.trim() === ""
        ? [{ pointer: "/MACOverride", message: "Write the address, such as 02:00:00:00:0a:01" }]
        : [],
    send: ({ overwrite: over }) =>
      previewForm({
        title: `Preview: card of ${link.Name}`,
        subject: link.Name,
        sentence: SENTENCES[way.value] ?? "",
        details: ["The link rests for a moment."],
        button: "Apply for good",
        done: SENTENCES[way.value] ?? "",
        confirmWithin: 90,
        after: onDone,
        request: () => ({
          method: "PUT",
          path: "/link/config",
          ifMatch: over ? null : etag,
          body: {
            Name: link.Name,
            MACOverride: way.value === "chosen" ? mac.value.trim() : "",
            MACRandomize: way.value === "drawn",
            MACCloak: way.value === "drawn" && cloak.value,
          },
        }),
      }),
  });
  return (
    <Form write={write} class="form part" failed="The card stays as it is.">
      <h3>Its card’s address</h3>
      <SelectField
        label="Address that others see"
        value={way.value}
        options={WAYS}
        onValue={(value) => way.value = value}
      />
      {way.value === "chosen" && (
        <Field
          label="Card’s address"
          help="Six pairs, such as 02:00:00:00:0a:01"
          autocomplete="off"
          {...write.text("MACOverride", mac)}
        />
      )}
      {way.value === "drawn" && (
        <CheckField
          label="As from a well-known maker"
          help="So that it does not show that it is drawn"
          value={cloak.value}
          onValue={(value) => cloak.value = value}
        />
      )}
      <div class="row">
        <SubmitButton write={write}>Preview this card</SubmitButton>
      </div>
    </Form>
  );
}
