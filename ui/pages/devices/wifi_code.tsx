import type { ComponentChildren, VNode } from "preact";
import { useSignal } from "@preact/signals";
import { useId } from "preact/hooks";
import { SelectField } from "../../parts/form/choice_field.tsx";
import { Field } from "../../parts/form/field.tsx";
import { useLoaded } from "../../parts/load/use_loaded.ts";
import { Copy } from "../../parts/show/copy.tsx";
import { Qr } from "../../parts/show/qr.tsx";
import { changeEvents, radioEvents } from "../../state/store.ts";
import type { WifiNetwork } from "../wifi/wire.ts";
import { wifiText } from "./add/wifi_qr.ts";
import { t } from "../../text/language.ts";

const NETWORK_KEY = "sluice.wifi.name";

/** The network that a device is to join. */
export interface ChosenNetwork {
  /** Names of the router's networks with a password per device. */
  readonly names: readonly string[];
  /** Null where the router has none: another access point has the network. */
  readonly network: WifiNetwork | null;
  readonly ssid: string;
  readonly choose: (ssid: string) => void;
}

/** The network that a device is to join: one of the router's, or a name that the browser remembers. */
export function useNetwork(): ChosenNetwork {
  const remembered = useSignal(localStorage.getItem(NETWORK_KEY) ?? "");
  const networks = useLoaded<{ readonly items: readonly WifiNetwork[] }>(
    { path: "/wifi/networks" },
    [radioEvents.value, changeEvents.value],
  );
  const own = (networks.body?.items ?? [])
    .filter(({ enabled, password }) => enabled && password === "device");
  const network = own.find(({ ssid }) => ssid === remembered.value) ?? own[0] ?? null;
  return {
    names: [...new Set(own.map(({ ssid }) => ssid))],
    network,
    ssid: network?.ssid ?? remembered.value,
    choose: (ssid) => {
      remembered.value = ssid;
      localStorage.setItem(NETWORK_KEY, ssid);
    },
  };
}

/** A device's own password: to read, to copy, and as a code that a phone scans. */
export function WifiCode(
  { password, network: { names, network, ssid, choose }, note, help, children }: {
    password: string;
    network: ChosenNetwork;
    /** Above the code. */
    note?: ComponentChildren;
    help: string;
    /** Further buttons beside the password. */
    children?: ComponentChildren;
  },
): VNode {
  const id = useId();
  return (
    <>
      {network === null
        ? (
          <Field
            label={t("Network name")}
            help={t("SSID, saved in this browser")}
            autocomplete="off"
            maxLength={32}
            value={ssid}
            onValue={choose}
          />
        )
        : (
          <SelectField
            label={t("Network name")}
            value={ssid}
            options={names.map((name) => [name, name] as const)}
            onValue={choose}
          />
        )}
      {note}
      {ssid !== "" && (
        <Qr text={wifiText(ssid, password)} label={t("QR code to join; the password is below")} />
      )}
      <div class="field">
        <span class="label" id={id}>{t("Device password")}</span>
        <div class="row">
          <p class="secret grow" aria-labelledby={id} role="group">{password}</p>
          <Copy text={password} what={t("the password")} />
          {children}
        </div>
        <span class="help">{help}</span>
      </div>
    </>
  );
}
