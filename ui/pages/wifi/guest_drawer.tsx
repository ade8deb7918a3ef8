import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { previewForm } from "../../actions/apply.ts";
import { formBodies } from "../../generated/form_rules.ts";
import { checkBody } from "../../parts/form/body_check.ts";
import { CheckField, SelectField } from "../../parts/form/choice_field.tsx";
import { Field } from "../../parts/form/field.tsx";
import { Form } from "../../parts/form/form.tsx";
import { FormFooter } from "../../parts/form/form_footer.tsx";
import { useForm } from "../../parts/form/use_form.ts";
import { Dialog } from "../../parts/overlay/dialog.tsx";
import { clock, day } from "../../text/time.ts";
import { endOf, saveGuests, spanOptions } from "./guest_actions.ts";
import type { Guests } from "./wire.ts";
import { t } from "../../text/language.ts";

const PASSWORDS = [["shared", t("One for all guests")], ["guest", t("One per guest")]] as const;
/** Sent back, it leaves the password as it is. */
const MASK = "**";

/** Form of the guest network. */
export function GuestDrawer(
  { guests, onClose, onDone }: {
    guests: Guests;
    onClose: () => void;
    /** Gets the password where it is new. */
    onDone: (password: string) => void;
  },
): VNode {
  const isOn = guests.Enabled;
  const name = useSignal(isOn ? guests.Name : "Guests");
  const kind = useSignal<string>(guests.Passwords);
  const password = useSignal("");
  const at = guests.Until * 1000;
  const kept = isOn && guests.Until > 0
    ? t("Until {day}, {clock}", { day: day(at), clock: clock(at) })
    : "";
  const span = useSignal(kept === "" ? isOn ? "none" : "1d" : "kept");
  const possible = [...guests.Radios, ...guests.Free];
  const radios = useSignal<readonly string[]>(isOn ? guests.Radios : possible);
  const isKept = isOn && guests.Passwords === "shared" && password.value === "";
  const body = {
    Name: name.value.trim(),
    Passwords: kind.value,
    Password: kind.value === "shared" ? isKept ? MASK : password.value : "",
    Until: endOf(span.value, Date.now(), guests.Until),
    Radios: radios.value,
  };
  const write = useForm({
    check: () => [
      ...checkBody(formBodies.GuestRequest, body),
      ...(radios.value.length === 0 ? [{ pointer: "/Radios", message: t("Choose a radio") }] : []),
    ],
    send: () =>
      previewForm(saveGuests(body, !isOn, (fresh) => {
        onClose();
        onDone(fresh);
      })),
  });
  return (
    <Dialog
      kind="drawer"
      title={t("Guest network")}
      note={t("A second Wi-Fi for visitors, with the Internet only")}
      onClose={onClose}
    >
      <Form write={write} failed={t("Nothing was changed.")} id="guest-form" class="body form">
        <Field
          label={t("Network name")}
          help={t("SSID, at most 32 bytes")}
          autocomplete="off"
          {...write.text("Name", name)}
        />
        <SelectField
          label={t("Password")}
          value={kind.value}
          options={PASSWORDS}
          onValue={(value) => kind.value = value}
        />
        {kind.value === "shared" && (
          <Field
            label={t("Password for all guests")}
            help={isOn && guests.Passwords === "shared"
              ? t("Leave empty to keep it")
              : t("Leave empty to generate 16 characters")}
            autocomplete="off"
            maxLength={63}
            {...write.text("Password", password)}
          />
        )}
        <SelectField
          label={t("How long")}
          value={span.value}
          options={spanOptions(kept)}
          onValue={(value) => span.value = value}
        />
        {possible.length > 1 && possible.map((radio) => (
          <CheckField
            key={radio}
            label={t("On {radio}", { radio })}
            value={radios.value.includes(radio)}
            onValue={(on) => {
              radios.value = on
                ? [...radios.value, radio]
                : radios.value.filter((one) => one !== radio);
              write.edited("Radios");
            }}
          />
        ))}
      </Form>
      <FormFooter write={write} form="guest-form" text={t("Preview")} onClose={onClose} />
    </Dialog>
  );
}
