import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { useLocation } from "preact-iso/router";
import { applyOrPreview } from "../../../actions/apply.ts";
import { Field } from "../../../parts/form/field.tsx";
import { Name } from "../../../parts/show/name.tsx";
import { useForm } from "../../../parts/form/use_form.ts";
import { Form, SubmitButton } from "../../../parts/form/form.tsx";
import type { ProblemItem } from "../../../api/problem.ts";
import { devices } from "../../../state/store.ts";
import { nameOf } from "../../../text/format.ts";
import { deviceHref } from "../last_seen.ts";
import { identityOf } from "../import/rows.ts";
import { addByMac, type NewDevice } from "./actions.ts";
import { NewDeviceFields } from "./choices.tsx";
import { DEFAULT_DEVICE } from "./actions.ts";
import { t } from "../../../text/language.ts";
import { rich } from "../../../text/translate.ts";

/** Adds a wired or known device by the address on its label, before it was ever seen. */
export function ByMac(): VNode {
  const { query, route } = useLocation();
  const device = useSignal<NewDevice>(DEFAULT_DEVICE);
  const mac = useSignal(query["mac"] ?? "");
  const identity = identityOf(mac.value);
  const known = identity === null ? undefined : devices.value?.[identity];

  const write = useForm({
    check: () => identity === null ? [unreadable(mac.value)] : [],
    async send() {
      if (identity === null) return;
      if (known !== undefined) {
        return write.form.current?.querySelector<HTMLElement>(".known a")?.focus();
      }
      await applyOrPreview(addByMac(identity, device.value, () => route(deviceHref(identity))));
    },
  });

  return (
    <Form write={write} failed={t("The device was not added.")} class="form narrow">
      <Field
        label={t("MAC address")}
        help={t("For example 00:1b:63:84:45:e6")}
        autocomplete="off"
        {...write.text("MAC", mac)}
      />
      {identity !== null && known !== undefined && (
        <p class="s warning-t known any" role="status">
          {rich(t("{name} already has this MAC address."), {
            name: (
              <a href={deviceHref(identity)}>
                <Name>{nameOf(identity, known)}</Name>
              </a>
            ),
          })}
        </p>
      )}
      <NewDeviceFields
        value={device.value}
        onValue={(value) => device.value = value}
        write={write}
      />
      <div class="row">
        <SubmitButton write={write}>{t("Add device")}</SubmitButton>
        <a class="btn" href="/admin/devices">{t("Cancel")}</a>
      </div>
    </Form>
  );
}

function unreadable(text: string): ProblemItem {
  const message = text.trim() === "" ? t("Enter the MAC address") : t("Enter a valid MAC address");
  return { pointer: "/MAC", message };
}
