import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { useId } from "preact/hooks";
import { previewForm } from "../../../actions/action.ts";
import { Icon } from "../../../parts/show/icon.tsx";
import { useForm } from "../../../parts/form/use_form.ts";
import { Form, SubmitButton } from "../../../parts/form/form.tsx";
import type { Link } from "./wire.ts";
import { addressLines, linesToAddresses } from "./text.ts";

/** Additional IPs of an interface. */
export function AddressesForm(
  { link, etag, onDone }: { link: Link; etag: string | null; onDone: () => void },
): VNode {
  const id = useId();
  const lines = useSignal(addressLines(link));
  const write = useForm({
    check: () =>
      linesToAddresses(lines.value) === null
        ? [{
          pointer: "/AdditionalIPs",
          message: "Enter an IP address and at most one gateway per line",
        }]
        : [],
    send: ({ overwrite: over }) => {
      const AdditionalIPs = linesToAddresses(lines.value) ?? [];
      const sentence = AdditionalIPs.length === 0
        ? "has no additional IPs."
        : `also has ${AdditionalIPs.map(({ IP }) => IP).join(", ")}.`;
      return previewForm({
        title: `Preview: additional IPs of ${link.Name}`,
        subject: link.Name,
        sentence,
        button: "Apply without auto-revert",
        done: sentence,
        confirmWithin: 90,
        after: onDone,
        request: () => ({
          method: "PUT",
          path: "/link/ip",
          ifMatch: over ? null : etag,
          body: { Name: link.Name, AdditionalIPs },
        }),
      });
    },
  });
  const problem = write.at("AdditionalIPs");
  return (
    <Form write={write} class="form part" failed="The IP addresses were not saved.">
      <h3>Additional IPs</h3>
      <div class={problem ? "field bad" : "field"}>
        <label for={id}>One per line</label>
        <textarea
          id={id}
          class="input"
          rows={3}
          spellcheck={false}
          aria-invalid={problem ? true : undefined}
          aria-describedby={`${id}-d`}
          value={lines.value}
          onInput={(event) => {
            lines.value = event.currentTarget.value;
            write.edited("AdditionalIPs");
          }}
        />
        {problem
          ? (
            <span class="problem" id={`${id}-d`}>
              <Icon name="alert" small />
              {problem}
            </span>
          )
          : (
            <span class="help" id={`${id}-d`}>
              For example 198.51.100.9/24
              {link.Type === "Uplink" && ", or 198.51.100.9/24 198.51.100.1 with a gateway"}
            </span>
          )}
      </div>
      <div class="row">
        <SubmitButton write={write}>Preview addresses</SubmitButton>
      </div>
    </Form>
  );
}
