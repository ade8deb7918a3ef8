import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { applySmall } from "../../act.ts";
import { fieldMessage, formMessage } from "../../form_check.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { Fault } from "../../parts/fault.tsx";
import { Field, focusFirstProblem } from "../../parts/field.tsx";
import { SelectField } from "../../parts/choice_field.tsx";
import { ApiProblem, wordsOf } from "../../problem.ts";
import { localInput } from "../../time.ts";
import type { Device } from "../../wire.ts";
import { expireDevice } from "./acts.ts";

const HOUR = 3600;
const SPANS: readonly (readonly [string, string, number])[] = [
  ["never", "Never", 0],
  ["hour", "In an hour", HOUR],
  ["day", "In a day", 24 * HOUR],
  ["week", "In a week", 7 * 24 * HOUR],
  ["date", "At a time of your choice", 0],
];

/** A box that says until when a device may do what it may, and what happens then. */
export function ExpiryDialog(
  { identity, device, onClose }: { identity: string; device: Device; onClose: () => void },
): VNode {
  const set = device.DeviceExpiration > 0;
  const span = useSignal(set ? "date" : "day");
  const at = useSignal(localInput(set ? device.DeviceExpiration * 1000 : Date.now() + 864e5));
  const then = useSignal(device.DeleteExpiration ? "delete" : "block");
  const problem = useSignal<ApiProblem | null>(null);
  const form = useRef<HTMLFormElement>(null);

  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    problem.value = null;
    try {
      const seconds = secondsOf(span.value, at.value);
      await applySmall(expireDevice(identity, seconds, then.value === "delete"));
      onClose();
    } catch (error) {
      problem.value = error instanceof ApiProblem ? error : new ApiProblem(0, wordsOf(error));
      focusFirstProblem(form.current);
    }
  }

  const other = formMessage(problem.value, ["DeviceExpiration"]);
  return (
    <Dialog kind="box" title="Expiry" focusTitle={false} onClose={onClose}>
      <form class="inner form" ref={form} noValidate onSubmit={(event) => void submit(event)}>
        {other && <Fault title="The expiry was not changed.">{other}</Fault>}
        <SelectField
          label="It expires"
          value={span.value}
          options={SPANS.map(([value, words]) => [value, words])}
          onValue={(value) => span.value = value}
        />
        {span.value === "date" && (
          <Field
            label="Day and time"
            help="By the clock of this browser"
            type="datetime-local"
            problem={fieldMessage(problem.value, "DeviceExpiration")}
            value={at.value}
            onValue={(value) => at.value = value}
          />
        )}
        {span.value !== "never" && (
          <SelectField
            label="Then it is"
            value={then.value}
            options={[["block", "blocked, and stays here"], ["delete", "deleted, with all it has"]]}
            onValue={(value) => then.value = value}
          />
        )}
        <div class="row">
          <button class="btn primary" type="submit">Keep this expiry</button>
          <button class="btn" type="button" onClick={onClose}>Back</button>
        </div>
      </form>
    </Dialog>
  );
}

/** Seconds from now, unix time, or -1 for never, as the API takes it. Throws ApiProblem. */
function secondsOf(span: string, at: string): number {
  if (span === "never") return -1;
  const seconds = SPANS.find(([value]) => value === span)?.[2] ?? 0;
  if (seconds > 0) return seconds;
  const moment = Date.parse(at);
  const message = Number.isNaN(moment)
    ? "Choose a day and a time"
    : moment <= Date.now()
    ? "Choose a time to come"
    : null;
  if (message !== null) {
    throw new ApiProblem(400, message, { errors: [{ pointer: "/DeviceExpiration", message }] });
  }
  return Math.floor(moment / 1000);
}
