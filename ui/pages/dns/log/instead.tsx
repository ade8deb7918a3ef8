import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { previewForm } from "../../../actions/action.ts";
import { Field } from "../../../parts/form/field.tsx";
import { useWrite } from "../../../parts/form/use_write.ts";
import { WriteButton, WriteForm } from "../../../parts/form/write_form.tsx";
import { atOnlyField, ONLY } from "../only_field.ts";

/** One resolver in the place of all others, such as one at home that is being tried. */
export function Instead({ now }: { now: string }): VNode {
  const address = useSignal(now);
  useEffect(() => void (address.value = now), [now]);
  const write = useWrite({
    send: () => {
      const resolver = address.value.trim();
      const sentence = resolver === ""
        ? "asks the resolvers outside again."
        : `asks ${resolver} instead, in the open.`;
      return atOnlyField(() =>
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
      <WriteForm write={write} class="form pad" failed="The resolver stays as it is.">
        <Field
          label="Address of that resolver"
          help="Such as one at home. Empty: the resolvers outside are asked"
          autocomplete="off"
          {...write.text(ONLY, address)}
        />
        <div class="row">
          <WriteButton write={write} class="btn">Preview this resolver</WriteButton>
        </div>
      </WriteForm>
    </section>
  );
}
