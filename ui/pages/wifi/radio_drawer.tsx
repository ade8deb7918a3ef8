import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { openPreview } from "../../actions/action.ts";
import { previewForm } from "../../actions/apply.ts";
import { formBodies } from "../../generated/form_rules.ts";
import { checkBody } from "../../parts/form/body_check.ts";
import { CheckField, SelectField } from "../../parts/form/choice_field.tsx";
import { Fault } from "../../parts/form/fault.tsx";
import { Field } from "../../parts/form/field.tsx";
import { Form } from "../../parts/form/form.tsx";
import { FormFooter } from "../../parts/form/form_footer.tsx";
import { useForm } from "../../parts/form/use_form.ts";
import { Loading } from "../../parts/load/loading.tsx";
import { useLoaded } from "../../parts/load/use_loaded.ts";
import { Dialog } from "../../parts/overlay/dialog.tsx";
import { resetRadio, saveRadio } from "./actions.ts";
import {
  type Band,
  bandsOf,
  channelOptions,
  choiceOf,
  limitWords,
  type RadioChoice,
  radioUpdate,
  widthOptions,
} from "./channel_choice.ts";
import { countryOptions } from "./country.ts";
import type { CountryRules, Radio, Settings } from "./wire.ts";
import { t } from "../../text/language.ts";

interface Props {
  readonly radio: Radio;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Settings of a radio. */
export function RadioDrawer({ radio, onClose, onDone }: Props): VNode {
  const settings = useLoaded<Settings>({ path: `/hostapd/${radio.name}/config` }, []);
  return (
    <Dialog
      kind="drawer"
      title={radio.name}
      note={t("Changes revert automatically unless confirmed")}
      onClose={onClose}
    >
      {settings.body === null
        ? settings.problem === null
          ? <Loading what={t("settings")} rows={4} />
          : <Fault title={t("The settings could not be loaded.")}>{settings.problem.message}</Fault>
        : <RadioForm radio={radio} settings={settings.body} onClose={onClose} onDone={onDone} />}
    </Dialog>
  );
}

function RadioForm({ radio, settings, onClose, onDone }: Props & { settings: Settings }): VNode {
  const choice = useSignal<RadioChoice>(choiceOf(settings));
  const countries = useLoaded<{ readonly items: readonly string[] }>(
    { path: "/wifi/countries" },
    [],
  );
  const rules = useLoaded<CountryRules>(
    { path: `/wifi/countries/${choice.value.country}` },
    [choice.value.country],
  ).body;
  const set = (part: Partial<RadioChoice>) => choice.value = { ...choice.value, ...part };
  const { band, channel, country } = choice.value;
  const channels = channelOptions(radio, rules, band);
  const widths = widthOptions(rules, choice.value);
  const width = widths.some(([value]) => value === choice.value.width)
    ? choice.value.width
    : widths.at(-1)?.[0] ?? "20";
  const body = radioUpdate({ ...choice.value, width }, settings);
  const finish = () => {
    onClose();
    onDone();
  };
  const write = useForm({
    check: () => checkBody(formBodies.RadioUpdate, body),
    send: () => previewForm(saveRadio(radio.name, body, finish)),
  });
  const known = countries.body?.items ?? [];
  return (
    <>
      <Form write={write} failed={t("Nothing was changed.")} id="radio-form" class="body form">
        <Field
          label={t("Network name")}
          help={t("SSID, at most 32 bytes")}
          autocomplete="off"
          value={choice.value.ssid}
          problem={write.at("Ssid")}
          onValue={(ssid) => {
            write.edited("Ssid");
            set({ ssid });
          }}
        />
        <SelectField
          label={t("Country")}
          help={t("Decides which channels and how much power are permitted")}
          value={country}
          problem={write.at("Country_code")}
          options={countryOptions(known, country)}
          onValue={(value) => {
            write.edited("Country_code");
            set({ country: value, channel: "0" });
          }}
        />
        <SelectField
          label={t("Band")}
          value={band}
          options={bandsOf(radio)}
          onValue={(value) => set({ band: value as Band, channel: "0" })}
        />
        <SelectField
          label={t("Channel")}
          help={channels.length <= 1 && rules !== null
            ? t("The country permits no channel of this band")
            : limitWords(rules, choice.value) || t("Automatic listens first and takes a quiet one")}
          value={channels.some(([value]) => value === channel) ? channel : "0"}
          problem={write.at("Channel")}
          options={channels}
          onValue={(value) => {
            write.edited("Channel");
            set({ channel: value });
          }}
        />
        <SelectField
          label={t("Channel width")}
          help={t("Wider is faster, and reaches less far among neighbours")}
          value={width}
          options={widths}
          onValue={(value) => set({ width: value })}
        />
        <CheckField
          label={t("Offer clients another radio of the same name")}
          help={t("By 802.11v, which client steering needs")}
          value={choice.value.transition}
          onValue={(transition) => set({ transition })}
        />
        {band === "6" && <p class="s soft">{t("At 6 GHz devices join by WPA3 only.")}</p>}
        <div class="row">
          <button
            class="btn small"
            type="button"
            onClick={() => openPreview(resetRadio(radio.name, finish))}
          >
            {t("Reset settings")}
          </button>
        </div>
      </Form>
      <FormFooter write={write} form="radio-form" text={t("Preview settings")} onClose={onClose} />
    </>
  );
}
