import type { VNode } from "preact";
import { type Signal, useSignal } from "@preact/signals";
import { put } from "../../api/client.ts";
import { SelectField } from "../../parts/form/choice_field.tsx";
import { Field } from "../../parts/form/field.tsx";
import type { FormState } from "../../parts/form/use_form.ts";
import { type Loaded, useLoaded } from "../../parts/load/use_loaded.ts";
import { countryOfBrowser, countryOptions } from "../wifi/country.ts";
import type { Radios } from "../wifi/wire.ts";
import { t } from "../../text/language.ts";

/** What a first radio needs to know. */
export interface WifiChoice {
  readonly ssid: Signal<string>;
  /** "" until it is chosen, or known from the radios. */
  readonly country: Signal<string>;
}

export function useWifiChoice(): WifiChoice {
  return { ssid: useSignal(""), country: useSignal("") };
}

/** The country that is offered first: that of the radios, else that of the browser. */
function likelyCountry(radios: Radios | null): string {
  const held = radios?.country ?? "00";
  return held === "00" ? countryOfBrowser(navigator.languages) || "US" : held;
}

/** Name and country of a first Wi-Fi network. */
export function WifiFields(
  { choice: { ssid, country }, radios, write }: {
    choice: WifiChoice;
    radios: Loaded<Radios>;
    write: FormState;
  },
): VNode {
  const countries = useLoaded<{ readonly items: readonly string[] }>(
    { path: "/wifi/countries" },
    [radios.body === null],
  );
  const known = countries.body?.items ?? null;
  const chosen = country.value || likelyCountry(radios.body);
  const change = (value: string): void => {
    country.value = value;
    write.edited("Country_code");
  };
  return (
    <>
      <Field
        label={t("Wi-Fi name")}
        help={t("The network name (SSID) that devices see. Each device gets a password of its own")}
        autocomplete="off"
        {...write.text("Ssid", ssid)}
      />
      {known === null
        ? (
          <Field
            label={t("Country")}
            help={t("Two letters, for example US. It decides which channels are permitted")}
            autocomplete="off"
            maxLength={2}
            problem={write.at("Country_code")}
            value={chosen}
            onValue={change}
          />
        )
        : (
          <SelectField
            label={t("Country")}
            help={t("It decides which channels are permitted")}
            problem={write.at("Country_code")}
            value={chosen}
            options={countryOptions(known, chosen)}
            onValue={change}
          />
        )}
    </>
  );
}

/** Turns radios on with one name; what is not known of them yet works at 2.4 GHz everywhere. */
export async function turnOn(
  names: readonly string[],
  { ssid, country }: WifiChoice,
  radios: Radios | null,
): Promise<void> {
  for (const name of names) {
    const isKnown = radios?.items.some((radio) => radio.name === name) ?? false;
    await put(`/hostapd/${name}/enable`, {
      Ssid: ssid.value.trim(),
      Country_code: country.value || likelyCountry(radios),
      ...(isKnown ? {} : { Hw_mode: "g", Channel: 1 }),
    });
  }
}
