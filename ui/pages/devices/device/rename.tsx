import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { applyOrPreview } from "../../../actions/apply.ts";
import { formRules } from "../../../generated/form_rules.ts";
import { Dialog } from "../../../parts/overlay/dialog.tsx";
import { Field } from "../../../parts/form/field.tsx";
import { renameDevice } from "./actions.ts";
import { useForm } from "../../../parts/form/use_form.ts";
import { Form, SubmitButton } from "../../../parts/form/form.tsx";
import { t } from "../../../text/language.ts";

/** Dialog to rename a device. */
export function RenameDialog(
  { identity, name, onClose }: { identity: string; name: string; onClose: () => void },
): VNode {
  const value = useSignal(name);

  const write = useForm({
    async send() {
      await applyOrPreview(renameDevice(identity, value.value));
      onClose();
    },
  });
  useEffect(() => write.form.current?.querySelector("input")?.select(), []);

  return (
    <Dialog kind="box" title={t("Rename")} focusTitle={false} onClose={onClose}>
      <Form write={write} failed={t("The name was not changed.")} class="inner form">
        <Field
          label={t("Name")}
          help={t("Also its local DNS name")}
          maxLength={formRules.deviceName.maxLength}
          {...write.text("Name", value)}
        />
        <div class="row">
          <SubmitButton write={write}>{t("Rename")}</SubmitButton>
          <button class="btn" type="button" onClick={onClose}>{t("Cancel")}</button>
        </div>
      </Form>
    </Dialog>
  );
}
