import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { previewForm } from "../../act.ts";
import { checkBody, fieldMessage, formMessage } from "../../form_check.ts";
import { formBodies } from "../../generated/form_rules.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { Fault } from "../../parts/fault.tsx";
import { Field, focusFirstProblem } from "../../parts/field.tsx";
import { ApiProblem, wordsOf } from "../../problem.ts";
import { addAddress, type Settings } from "./acts.ts";
import type { MulticastAddress } from "./wire.ts";

const FIELDS = ["Address", "Tags", "Description"] as const;

/** A further address that is repeated; its preview opens over the form. */
export function AddAddress(
  { settings, onClose }: { settings: Settings; onClose: () => void },
): VNode {
  const address = useSignal("");
  const tags = useSignal("");
  const description = useSignal("");
  const problem = useSignal<ApiProblem | null>(null);
  const form = useRef<HTMLFormElement>(null);

  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    problem.value = null;
    const one: MulticastAddress = {
      Address: address.value.trim(),
      Disabled: false,
      Tags: tags.value.split(",").map((tag) => tag.trim()).filter((tag) => tag !== ""),
      Description: description.value.trim(),
    };
    const place = settings.now().Addresses.length;
    try {
      const errors = checkBody(formBodies.MulticastAddress, { ...one });
      if (errors.length > 0) throw new ApiProblem(400, "", { errors });
      const after = () => {
        onClose();
        settings.after();
      };
      await previewForm(addAddress({ ...settings, after }, one));
    } catch (error) {
      problem.value = error instanceof ApiProblem
        ? within(error, `/Addresses/${place}`)
        : new ApiProblem(0, wordsOf(error));
      focusFirstProblem(form.current);
    }
  }

  const at = (name: string): string | null => fieldMessage(problem.value, name);
  const other = formMessage(problem.value, FIELDS);
  return (
    <Dialog
      kind="drawer"
      title="Repeat another address"
      note="Such as that of a speaker or a game"
      onClose={onClose}
    >
      <form
        class="body form"
        id="multicast-form"
        ref={form}
        noValidate
        onSubmit={(event) => void submit(event)}
      >
        {other && <Fault title="Nothing was changed.">{other}</Fault>}
        <Field
          label="Address and port"
          help="A multicast address, such as 239.255.255.250:1900"
          problem={at("Address")}
          autocomplete="off"
          value={address.value}
          onValue={(value) => address.value = value}
        />
        <Field
          label="What it is"
          help="Such as the name of the product"
          problem={at("Description")}
          autocomplete="off"
          value={description.value}
          onValue={(value) => description.value = value}
        />
        <Field
          label="Tags"
          help="Only between links with a device of one of these. Without any: between all links"
          problem={at("Tags")}
          autocomplete="off"
          value={tags.value}
          onValue={(value) => tags.value = value}
        />
      </form>
      <footer>
        <div class="row">
          <button class="btn primary grow" type="submit" form="multicast-form">
            Preview this address
          </button>
          <button class="btn" type="button" onClick={onClose}>Back</button>
        </div>
      </footer>
    </Dialog>
  );
}

/** A problem of the whole list as one of the entry at `place`. */
function within(problem: ApiProblem, place: string): ApiProblem {
  const errors = problem.errors.map(({ pointer, message }) => ({
    pointer: pointer.startsWith(place) ? pointer.slice(place.length) : pointer,
    message,
  }));
  return new ApiProblem(problem.status, problem.message, { ...problem.members, errors });
}
