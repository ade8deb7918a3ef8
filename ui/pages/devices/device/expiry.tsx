import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { applyOrPreview } from "../../../actions/apply.ts";
import { Dialog } from "../../../parts/overlay/dialog.tsx";
import { Field } from "../../../parts/form/field.tsx";
import { SelectField } from "../../../parts/form/choice_field.tsx";
import type { ProblemItem } from "../../../api/problem.ts";
import { localInput } from "../../../text/time.ts";
import type { Device } from "../../../wire.ts";
import { expireDevice } from "./actions.ts";
import { useForm } from "../../../parts/form/use_form.ts";
import { Form, SubmitButton } from "../../../parts/form/form.tsx";
import { t } from "../../../text/language.ts";

const HOUR = 3600;
const SPANS: readonly (readonly [string, string, number])[] = [
  ["never", t("Never"), 0],
  ["hour", t("In 1 hour"), HOUR],
  ["day", t("In 1 day"), 24 * HOUR],
  ["week", t("In 1 week"), 7 * 24 * HOUR],
  ["date", t("Custom"), 0],
];

/** Dialog for the expiry of a device, and what happens then. */
export function ExpiryDialog(
  { identity, device, onClose }: { identity: string; device: Device; onClose: () => void },
): VNode {
  const set = device.DeviceExpiration > 0;
  const span = useSignal(set ? "date" : "day");
  const at = useSignal(localInput(set ? device.DeviceExpiration * 1000 : Date.now() + 864e5));
  const then = useSignal(device.DeleteExpiration ? "delete" : "block");

  const write = useForm({
    check: () => span.value === "date" ? momentFaults(at.value, Date.now()) : [],
    async send() {
      const seconds = secondsOf(span.value, at.value);
      await applyOrPreview(expireDevice(identity, seconds, then.value === "delete"));
      onClose();
    },
  });

  return (
    <Dialog kind="box" title={t("Expiry")} focusTitle={false} onClose={onClose}>
      <Form write={write} failed={t("The expiry was not changed.")} class="inner form">
        <SelectField
          label={t("Expires")}
          value={span.value}
          options={SPANS.map(([value, text]) => [value, text])}
          onValue={(value) => span.value = value}
        />
        {span.value === "date" && (
          <Field
            label={t("Date and time")}
            help={t("In this browser’s time zone")}
            type="datetime-local"
            {...write.text("DeviceExpiration", at)}
          />
        )}
        {span.value !== "never" && (
          <SelectField
            label={t("On expiry")}
            value={then.value}
            options={[["block", t("Block device")], ["delete", t("Delete device")]]}
            onValue={(value) => then.value = value}
          />
        )}
        <div class="row">
          <SubmitButton write={write}>{t("Save")}</SubmitButton>
          <button class="btn" type="button" onClick={onClose}>{t("Cancel")}</button>
        </div>
      </Form>
    </Dialog>
  );
}

/** Seconds from now, unix time, or -1 for never, as the API takes it. */
function secondsOf(span: string, at: string): number {
  if (span === "never") return -1;
  const seconds = SPANS.find(([value]) => value === span)?.[2] ?? 0;
  return seconds > 0 ? seconds : Math.floor(Date.parse(at) / 1000);
}

function momentFaults(at: string, now: number): readonly ProblemItem[] {
  const moment = Date.parse(at);
  const pointer = "/DeviceExpiration";
  if (Number.isNaN(moment)) return [{ pointer, message: t("Select a date and time") }];
  return moment <= now ? [{ pointer, message: t("Select a time in the future") }] : [];
}
