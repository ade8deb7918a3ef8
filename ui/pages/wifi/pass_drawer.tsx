import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { applyOrPreview } from "../../actions/apply.ts";
import { SelectField } from "../../parts/form/choice_field.tsx";
import { Field } from "../../parts/form/field.tsx";
import { Form } from "../../parts/form/form.tsx";
import { FormFooter } from "../../parts/form/form_footer.tsx";
import { useForm } from "../../parts/form/use_form.ts";
import { Dialog } from "../../parts/overlay/dialog.tsx";
import { clock, day } from "../../text/time.ts";
import { endOf, makePass, spanOptions } from "./guest_actions.ts";
import { t } from "../../text/language.ts";

/** Form of a password for one guest. */
export function PassDrawer(
  { until, onClose, onDone }: {
    /** End of the guest network, unix seconds; 0 none. */
    until: number;
    onClose: () => void;
    onDone: (who: string, password: string) => void;
  },
): VNode {
  const name = useSignal("");
  const at = until * 1000;
  const kept = until > 0
    ? t("As long as the network: {day}, {clock}", { day: day(at), clock: clock(at) })
    : "";
  const span = useSignal(kept === "" ? "1d" : "kept");
  const write = useForm({
    check: () => name.value.trim() === "" ? [{ pointer: "/Name", message: t("Enter a name") }] : [],
    send: () => {
      const Name = name.value.trim();
      const body = { Name, Until: endOf(span.value, Date.now(), until) };
      return applyOrPreview(makePass(body, (password) => {
        onClose();
        onDone(Name, password);
      }));
    },
  });
  return (
    <Dialog
      kind="drawer"
      title={t("Password for a guest")}
      note={t("The first device that joins with it keeps it")}
      onClose={onClose}
    >
      <Form write={write} failed={t("No password was generated.")} id="pass-form" class="body form">
        <Field
          label={t("Name of the guest")}
          autocomplete="off"
          maxLength={64}
          {...write.text("Name", name)}
        />
        <SelectField
          label={t("How long")}
          value={span.value}
          options={spanOptions(kept)}
          onValue={(value) => span.value = value}
        />
      </Form>
      <FormFooter write={write} form="pass-form" text={t("Generate password")} onClose={onClose} />
    </Dialog>
  );
}
