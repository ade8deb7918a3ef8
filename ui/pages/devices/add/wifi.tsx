import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { applyOrPreview } from "../../../actions/apply.ts";
import type { Answer } from "../../../api/client.ts";
import { formRules } from "../../../generated/form_rules.ts";
import { Field } from "../../../parts/form/field.tsx";
import { Icon } from "../../../parts/show/icon.tsx";
import { useForm } from "../../../parts/form/use_form.ts";
import { Form, SubmitButton } from "../../../parts/form/form.tsx";
import type { ProblemItem } from "../../../api/problem.ts";
import { devices } from "../../../state/store.ts";
import type { Device } from "../../../wire.ts";
import { addWifi, type NewDevice } from "./actions.ts";
import { NewDeviceFields } from "./choices.tsx";
import { DEFAULT_DEVICE } from "./actions.ts";
import { JoinPanel } from "./join_panel.tsx";
import type { PendingPassword } from "./join_outcome.ts";
import { OthersWaiting } from "./pending_devices.tsx";
import { t } from "../../../text/language.ts";

const WEAK: ProblemItem = {
  pointer: "/PSKEntry/Psk",
  message: t("Use 8 to 63 plain ASCII characters"),
};
const KINDS = [["sae", "WPA3"], ["wpa2", "WPA2"]] as const;

/** Adds a Wi-Fi device: a password of its own, shown as a QR code until the device joins with it. */
export function Wifi(): VNode {
  const device = useSignal<NewDevice>(DEFAULT_DEVICE);
  const type = useSignal<string>("sae");
  const own = useSignal("");
  const waiting = useSignal<PendingPassword | null>(null);

  function made({ body, identity }: Answer<Device>, before: ReadonlySet<string>): void {
    const { Type, Psk } = body.PSKEntry;
    waiting.value = {
      identity: identity ?? "pending",
      name: body.Name,
      type: Type,
      password: own.value === "" ? Psk : own.value,
      before,
    };
    own.value = "";
    device.value = { ...device.value, name: "" };
  }

  const write = useForm({
    check: () =>
      own.value === "" || new RegExp(formRules.psk.pattern).test(own.value) ? [] : [WEAK],
    async send() {
      const before = new Set(Object.keys(devices.value ?? {}));
      const key = { type: type.value, password: own.value };
      await applyOrPreview(addWifi(device.value, key, (answer) => made(answer, before)));
    },
  });

  return (
    <div class="cols half">
      <Form write={write} failed={t("No password was generated.")}>
        <NewDeviceFields
          value={device.value}
          onValue={(value) => device.value = value}
          write={write}
        />
        <fieldset class="field">
          <legend class="label">{t("Security")}</legend>
          <div>
            <div class="seg">
              {KINDS.map(([value, text]) => (
                <label key={value}>
                  <input
                    type="radio"
                    name="security"
                    checked={type.value === value}
                    onChange={() => type.value = value}
                  />
                  {text}
                </label>
              ))}
            </div>
          </div>
          <span class="help">
            {t("Devices from before 2019 may need WPA2. When one is added, WPA3 devices reconnect")}
          </span>
        </fieldset>
        <Field
          label={t("Password")}
          help={t("Leave empty to generate 16 characters")}
          autocomplete="off"
          maxLength={63}
          {...write.text("PSKEntry", own)}
        />
        <div class="row">
          <SubmitButton write={write}>{t("Generate password")}</SubmitButton>
          <a class="btn" href="/admin/devices">{t("Cancel")}</a>
        </div>
      </Form>
      <div class="stack">
        {waiting.value === null ? <Before /> : (
          <JoinPanel
            key={waiting.value.identity}
            waiting={waiting.value}
            onWaiting={(next) => waiting.value = next}
          />
        )}
        <OthersWaiting
          except={waiting.value?.identity ?? null}
          onShow={(next) => waiting.value = next}
        />
      </div>
    </div>
  );
}

function Before(): VNode {
  return (
    <section class="panel empty" aria-label={t("Join with this device")}>
      <Icon name="wifi" />
      <h2>{t("A password for one device")}</h2>
      <p class="s soft">
        {t(
          "The first device that joins with it keeps it; no other device can use it. A QR code appears here.",
        )}
      </p>
    </section>
  );
}
