import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { previewForm } from "../../../actions/action.ts";
import { Field } from "../../../parts/form/field.tsx";
import { useForm } from "../../../parts/form/use_form.ts";
import { Form, SubmitButton } from "../../../parts/form/form.tsx";
import { sendTextBody, TEXT_FIELD } from "../text_body.ts";

/** One resolver in the place of all others, such as one at home that is being tried. */
export function SingleUpstream({ now }: { now: string }): VNode {
  const address = useSignal(now);
  useEffect(() => void (address.value = now), [now]);
  const write = useForm({
    send: () => {
      const resolver = address.value.trim();
      const sentence = resolver === ""
        ? "asks the resolvers outside again."
        : `asks ${resolver} instead, in the open.`;
      return sendTextBody(() =>
        previewForm({
          title: "Preview: one resolver in the place of all",
          subject: "Every device",
          sentence,
          button: resolver === "" ? "Ask those outside" : "Ask this one",
          done: sentence,
          request: () => ({ method: "PUT", path: "/firewall/systemDnsOverride", body: resolver }),
        })
      );
    },
  });
  return (
    <section class="panel" aria-labelledby="instead">
      <header>
        <h2 id="instead">One in the place of all</h2>
        <span class="note">{now === "" ? "none" : "is asked now"}</span>
      </header>
      <Form write={write} class="form pad" failed="The resolver stays as it is.">
        <Field
          label="Address of that resolver"
          help="Such as one at home. Empty: the resolvers outside are asked"
          autocomplete="off"
          {...write.text(TEXT_FIELD, address)}
        />
        <div class="row">
          <SubmitButton write={write} class="btn">Preview this resolver</SubmitButton>
        </div>
      </Form>
    </section>
  );
}
