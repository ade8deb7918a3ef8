import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { applySmall } from "../../act.ts";
import { formRules } from "../../generated/form_rules.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { Fault } from "../../parts/fault.tsx";
import { Field, focusFirstProblem, messageFor, rest } from "../../parts/field.tsx";
import { ApiProblem, wordsOf } from "../../problem.ts";
import { renameDevice } from "./acts.ts";

/** A box that gives a device another name. */
export function RenameDialog(
  { identity, name, onClose }: { identity: string; name: string; onClose: () => void },
): VNode {
  const value = useSignal(name);
  const problem = useSignal<ApiProblem | null>(null);
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => form.current?.querySelector("input")?.select(), []);

  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    try {
      await applySmall(renameDevice(identity, value.value));
      onClose();
    } catch (error) {
      problem.value = error instanceof ApiProblem ? error : new ApiProblem(0, wordsOf(error));
      focusFirstProblem(form.current);
    }
  }

  const other = rest(problem.value, ["/Name"]);
  return (
    <Dialog kind="box" title="Rename" focusTitle={false} onClose={onClose}>
      <form class="inner form" ref={form} noValidate onSubmit={(event) => void submit(event)}>
        {other && <Fault title="The name was not changed.">{other}</Fault>}
        <Field
          label="Name"
          help="Also its name in this router’s DNS"
          problem={messageFor(problem.value, "/Name")}
          maxLength={formRules.deviceName.maxLength}
          value={value.value}
          onValue={(text) => value.value = text}
        />
        <div class="row">
          <button class="btn primary" type="submit">Rename</button>
          <button class="btn" type="button" onClick={onClose}>Back</button>
        </div>
      </form>
    </Dialog>
  );
}
