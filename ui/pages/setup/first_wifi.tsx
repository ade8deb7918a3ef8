import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { call } from "../../api/client.ts";
import { CheckField } from "../../parts/form/choice_field.tsx";
import { Field } from "../../parts/form/field.tsx";
import { Form, SubmitButton } from "../../parts/form/form.tsx";
import { useForm } from "../../parts/form/use_form.ts";
import { useLoaded } from "../../parts/load/use_loaded.ts";
import { Name } from "../../parts/show/name.tsx";
import { changeEvents, devices, radioEvents } from "../../state/store.ts";
import { ADMIN } from "../../text/policies.ts";
import type { Device } from "../../wire.ts";
import { DEFAULT_DEVICE, deviceBody } from "../devices/add/actions.ts";
import { freePending, type PendingPassword } from "../devices/add/join_outcome.ts";
import { JoinPanel } from "../devices/add/join_panel.tsx";
import type { ChosenNetwork } from "../devices/wifi_code.tsx";
import type { Radio, Radios } from "../wifi/wire.ts";
import { faultAt } from "./field_problem.ts";
import { turnOn, useWifiChoice, WifiFields } from "./wifi_fields.tsx";
import { t } from "../../text/language.ts";
import { rich } from "../../text/translate.ts";

/** Wi-Fi in the last step of the guide: a radio to turn on, or a password for the first device. */
export function FirstWifi({ network }: { network: ChosenNetwork }): VNode | null {
  const radios = useLoaded<Radios>({ path: "/wifi/radios" }, [
    radioEvents.value,
    changeEvents.value,
  ]);
  if (network.network !== null) return <FirstPassword />;
  const free = (radios.body?.items ?? []).filter(isFree);
  return free.length === 0 ? null : <FirstRadio radios={free} all={radios} />;
}

/** True for a radio that can be an access point and has no other role. */
export function isFree({ accessPoint, perStation, type, enabled }: Radio): boolean {
  return accessPoint && perStation && !(enabled && type !== "AP");
}

function FirstRadio(
  { radios, all }: { radios: readonly Radio[]; all: ReturnType<typeof useLoaded<Radios>> },
): VNode {
  const choice = useWifiChoice();
  const chosen = useSignal<readonly string[]>(radios.slice(0, 1).map(({ name }) => name));
  const write = useForm({
    async send() {
      if (chosen.value.length === 0) throw faultAt("Radio", t("Select at least one adapter"));
      if (choice.ssid.value.trim() === "") throw faultAt("Ssid", t("Enter a name"));
      await turnOn(chosen.value, choice, all.body);
    },
  });
  return (
    <section class="panel" aria-labelledby="first-radio">
      <header>
        <h2 id="first-radio">{t("Turn on Wi-Fi")}</h2>
        <span class="s soft">{t("Optional")}</span>
      </header>
      <Form write={write} failed={t("Wi-Fi was not turned on.")} class="form pad">
        <fieldset class="field">
          <legend class="label">{t("Wi-Fi adapters")}</legend>
          {radios.map(({ name, bands }) => (
            <CheckField
              key={name}
              label={name}
              help={bands.map(({ band }) => t("{band} GHz", { band })).join(", ")}
              value={chosen.value.includes(name)}
              onValue={(on) => {
                chosen.value = on
                  ? [...chosen.value, name]
                  : chosen.value.filter((one) => one !== name);
                write.edited("Radio");
              }}
            />
          ))}
          {write.at("Radio") && <p class="problem" role="alert">{write.at("Radio")}</p>}
        </fieldset>
        <WifiFields choice={choice} radios={all} write={write} />
        <div class="row">
          <SubmitButton write={write}>{t("Turn on Wi-Fi")}</SubmitButton>
        </div>
      </Form>
    </section>
  );
}

/** A password for the first device, as a code that a phone scans. */
function FirstPassword(): VNode {
  const name = useSignal("");
  const admin = useSignal(false);
  const waiting = useSignal<PendingPassword | null>(null);
  const write = useForm({
    async send() {
      const known = devices.peek() ?? {};
      const { body, identity } = await call<Device>({
        method: "PUT",
        path: "/device",
        query: { identity: freePending(known) },
        ifAbsent: true,
        body: {
          ...deviceBody({ ...DEFAULT_DEVICE, name: name.value, admin: admin.value }),
          PSKEntry: { Type: "sae" },
        },
      });
      waiting.value = {
        identity: identity ?? "pending",
        name: body.Name,
        type: body.PSKEntry.Type,
        password: body.PSKEntry.Psk,
        before: new Set(Object.keys(known)),
      };
    },
  });
  if (waiting.value !== null) {
    return <JoinPanel waiting={waiting.value} onWaiting={(next) => waiting.value = next} />;
  }
  return (
    <section class="panel" aria-labelledby="first-wifi">
      <header>
        <h2 id="first-wifi">{t("Join by Wi-Fi")}</h2>
      </header>
      <Form write={write} failed={t("No password was generated.")} class="form pad">
        <Field
          label={t("Name")}
          help={t("Also its local DNS name")}
          autocomplete="off"
          {...write.text("Name", name)}
        />
        <CheckField
          label={ADMIN.title}
          help={ADMIN.description}
          value={admin.value}
          onValue={(on) => admin.value = on}
        />
        <div class="row">
          <SubmitButton write={write}>{t("Show QR code")}</SubmitButton>
        </div>
      </Form>
    </section>
  );
}

/** Where devices can join, in words: `lan0 or the Wi-Fi home`. */
export function JoinOptions(
  { links, network }: { links: readonly string[]; network: ChosenNetwork },
): VNode {
  const wired = links.join(" or ");
  const { names } = network;
  if (names.length === 0) return <Name>{wired || t("a LAN interface")}</Name>;
  return (
    <>
      {wired !== "" && (
        <>
          {rich(t("{wired} or"), { wired: <Name>{wired}</Name> })}
          {" "}
        </>
      )}
      {rich(t("the Wi-Fi {names}"), { names: <Name>{names.join(" or ")}</Name> })}
    </>
  );
}
