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
import { saveNetwork } from "./actions.ts";
import type { WifiNetwork } from "./wire.ts";
import { t } from "../../text/language.ts";

/** Security of an additional network: `Wpa` and `WpaKeyMgmt` of the API. */
const SECURITY = {
  mixed: { text: t("WPA2 and WPA3"), Wpa: "2", WpaKeyMgmt: "WPA-PSK WPA-PSK-SHA256 SAE" },
  wpa2: { text: "WPA2", Wpa: "2", WpaKeyMgmt: "WPA-PSK WPA-PSK-SHA256" },
  wpa3: { text: "WPA3", Wpa: "2", WpaKeyMgmt: "SAE" },
  open: { text: t("Open"), Wpa: "0", WpaKeyMgmt: "" },
} as const;
type Security = keyof typeof SECURITY;

const PASSWORDS = [["shared", t("One for all")], ["device", t("One per device")]] as const;
/** Sent back, it leaves the password as it is. */
const MASK = "**";

/** Form of the additional network of a radio. */
export function NetworkDrawer(
  { radio: first, radios, network, onClose, onDone }: {
    radio: string;
    /** Radios without an additional network. */
    radios: readonly string[];
    /** Null for a new one. */
    network: WifiNetwork | null;
    onClose: () => void;
    onDone: () => void;
  },
): VNode {
  const radio = useSignal(first);
  const ssid = useSignal(network?.ssid ?? "");
  const security = useSignal<Security>(network === null ? "mixed" : securityOf(network));
  const kind = useSignal<string>(network?.password === "device" ? "device" : "shared");
  const password = useSignal("");
  const meet = useSignal(network !== null && !network.isolated);
  const { Wpa, WpaKeyMgmt } = SECURITY[security.value];
  const isShared = security.value !== "open" && kind.value === "shared";
  const kept = network?.password === "shared" && password.value === "";
  const body = {
    Ssid: ssid.value.trim(),
    Bssid: "",
    Wpa,
    WpaKeyMgmt,
    DisableIsolation: meet.value,
    GuestPassword: isShared ? kept ? MASK : password.value : "",
  };
  const write = useForm({
    check: () =>
      isShared && body.GuestPassword === ""
        ? [{ pointer: "/GuestPassword", message: t("Use 8 to 63 printable ASCII characters") }]
        : checkBody(formBodies.ExtraBssRequest, body),
    send: () =>
      previewForm(saveNetwork(radio.value, body, () => {
        onClose();
        onDone();
      })),
  });
  return (
    <Dialog
      kind="drawer"
      title={network === null ? t("Add network") : network.ssid}
      note={t("A second name on the same radio, for example for guests")}
      onClose={onClose}
    >
      <Form write={write} failed={t("Nothing was changed.")} id="network-form" class="body form">
        {network === null && radios.length > 1 && (
          <SelectField
            label={t("Radio")}
            value={radio.value}
            options={radios.map((name) => [name, name] as const)}
            onValue={(value) => radio.value = value}
          />
        )}
        <Field
          label={t("Network name")}
          help={t("SSID, at most 32 bytes")}
          autocomplete="off"
          {...write.text("Ssid", ssid)}
        />
        <SelectField
          label={t("Security")}
          value={security.value}
          options={Object.entries(SECURITY).map(([value, { text }]) => [value, text] as const)}
          onValue={(value) => security.value = value as Security}
        />
        {security.value !== "open" && (
          <SelectField
            label={t("Password")}
            value={kind.value}
            options={PASSWORDS}
            onValue={(value) => kind.value = value}
          />
        )}
        {isShared && (
          <Field
            label={t("Password for all")}
            help={network?.password === "shared"
              ? t("Leave empty to keep it")
              : t("8 to 63 printable characters")}
            autocomplete="off"
            maxLength={63}
            {...write.text("GuestPassword", password)}
          />
        )}
        <CheckField
          label={t("Clients reach each other")}
          value={meet.value}
          onValue={(value) => meet.value = value}
        />
      </Form>
      <FormFooter write={write} form="network-form" text={t("Preview network")} onClose={onClose} />
    </Dialog>
  );
}

function securityOf({ security }: WifiNetwork): Security {
  if (security.includes("open")) return "open";
  if (!security.includes("WPA3")) return "wpa2";
  return security.length > 1 ? "mixed" : "wpa3";
}
