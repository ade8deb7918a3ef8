import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { previewForm } from "../../actions/apply.ts";
import { Fault } from "../../parts/form/fault.tsx";
import { SelectField } from "../../parts/form/choice_field.tsx";
import { Field } from "../../parts/form/field.tsx";
import { Form } from "../../parts/form/form.tsx";
import { FormFooter } from "../../parts/form/form_footer.tsx";
import { useForm } from "../../parts/form/use_form.ts";
import { Loading } from "../../parts/load/loading.tsx";
import { useLoaded } from "../../parts/load/use_loaded.ts";
import { Dialog } from "../../parts/overlay/dialog.tsx";
import { Name } from "../../parts/show/name.tsx";
import { barsOf, JOIN_KINDS, type ScannedNetwork, scannedNetworks } from "./scan_rows.ts";
import { joinNetwork } from "./wifi_actions.ts";
import type { Neighbour, WifiInterface } from "./wire.ts";
import { t } from "../../text/language.ts";

const KINDS = JOIN_KINDS.map(({ text, keys }) => [keys!, text] as const);

/** Scans with a radio and joins a network as an uplink. */
export function JoinDrawer(
  { radios, entries, onClose, onDone }: {
    /** Radios that may be an uplink. */
    radios: readonly string[];
    entries: readonly WifiInterface[];
    onClose: () => void;
    onDone: () => void;
  },
): VNode {
  const radio = useSignal(radios[0] ?? "");
  const ssid = useSignal("");
  const hex = useSignal("");
  const keys = useSignal(JOIN_KINDS[0]!.keys!);
  const password = useSignal("");
  const path = `/iw/dev/${encodeURIComponent(radio.value)}/scan`;
  const scan = useLoaded<readonly Neighbour[]>({ path }, [radio.value]);
  const isOpen = keys.value === "NONE";
  const choose = (network: ScannedNetwork): void => {
    ssid.value = network.ssid || network.name;
    hex.value = network.hex;
    keys.value = network.kind.keys ?? keys.value;
    password.value = "";
    write.clear();
  };
  const write = useForm({
    check: () => [
      ...(ssid.value === "" ? [{ pointer: "/SSID", message: t("Choose or enter a network") }] : []),
      ...(!isOpen && password.value === ""
        ? [{ pointer: "/Password", message: t("Enter the password of the network") }]
        : []),
    ],
    send: () =>
      previewForm(joinNetwork(
        radio.value,
        entries.find(({ Iface }) => Iface === radio.value) ?? null,
        {
          Disabled: false,
          SSID: hex.value === "" ? ssid.value : "",
          ...(hex.value === "" ? {} : { SSIDHex: hex.value }),
          KeyMgmt: keys.value,
          Password: isOpen ? "" : password.value,
        },
        () => {
          onClose();
          onDone();
        },
      )),
  });
  return (
    <Dialog
      kind="drawer"
      title={t("Join a Wi-Fi network")}
      note={t("As a WAN interface, with its address by DHCP")}
      onClose={onClose}
    >
      <Form write={write} failed={t("Nothing was changed.")} id="join-form" class="body form">
        {radios.length > 1 && (
          <SelectField
            label={t("Radio")}
            value={radio.value}
            options={radios.map((name) => [name, name] as const)}
            onValue={(value) => radio.value = value}
          />
        )}
        <section class="scan" aria-labelledby="scan-title">
          <header class="row">
            <h3 id="scan-title" class="grow">{t("In range")}</h3>
            <button class="btn small" type="button" onClick={scan.reload}>{t("Scan again")}</button>
          </header>
          {scan.problem !== null && (
            <Fault warning title={t("The scan failed.")}>{scan.problem.message}</Fault>
          )}
          {scan.body === null
            ? scan.problem === null && <Loading what={t("networks")} rows={4} />
            : (
              <ScanList
                networks={scannedNetworks(scan.body)}
                chosen={ssid.value}
                onChoose={choose}
              />
            )}
        </section>
        <Field
          label={t("Network name")}
          help={t("Choose one above, or enter a hidden one")}
          autocomplete="off"
          maxLength={32}
          value={ssid.value}
          problem={write.at("SSID")}
          onValue={(value) => {
            ssid.value = value;
            hex.value = "";
            write.edited("SSID");
          }}
        />
        <SelectField
          label={t("Security")}
          value={keys.value}
          options={KINDS}
          onValue={(value) => keys.value = value}
        />
        {!isOpen && (
          <Field
            label={t("Password")}
            secret
            autocomplete="off"
            maxLength={128}
            {...write.text("Password", password)}
          />
        )}
      </Form>
      <FormFooter write={write} form="join-form" text={t("Preview")} onClose={onClose} />
    </Dialog>
  );
}

function ScanList(
  { networks, chosen, onChoose }: {
    networks: readonly ScannedNetwork[];
    chosen: string;
    onChoose: (network: ScannedNetwork) => void;
  },
): VNode {
  if (networks.length === 0) return <p class="s quiet">{t("No network in range.")}</p>;
  return (
    <ul class="scan-list">
      {networks.map((one) => (
        <li key={`${one.hex}${one.name}${one.kind.text}`}>
          <button
            type="button"
            aria-pressed={(one.ssid || one.name) === chosen}
            disabled={one.kind.keys === null}
            onClick={() => onChoose(one)}
          >
            <Signal level={one.signal} />
            <Name class="grow">{one.name}</Name>
            <span class="quiet s">{one.kind.text}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}

/** A signal as bars, with its value for people who do not see them. */
export function Signal({ level }: { level: number }): VNode {
  const bars = barsOf(level);
  return (
    <span class="signal" title={t("{level} dBm", { level })}>
      <svg viewBox="0 0 16 12" width="16" height="12" aria-hidden="true">
        {[0, 1, 2, 3].map((at) => (
          <rect
            key={at}
            class={at < bars ? "on" : undefined}
            x={at * 4}
            y={9 - at * 3}
            width="3"
            height={3 + at * 3}
            rx="0.5"
          />
        ))}
      </svg>
      <span class="vh">{level === 0 ? t("signal unknown") : t("{level} dBm", { level })}</span>
    </span>
  );
}
