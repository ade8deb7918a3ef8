import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { previewForm } from "../../actions/apply.ts";
import { SelectField } from "../../parts/form/choice_field.tsx";
import { Field } from "../../parts/form/field.tsx";
import { Form } from "../../parts/form/form.tsx";
import { FormFooter } from "../../parts/form/form_footer.tsx";
import { useForm } from "../../parts/form/use_form.ts";
import { Dialog } from "../../parts/overlay/dialog.tsx";
import { setSteering } from "./actions.ts";
import type { RoamingConfig } from "./wire.ts";
import { t } from "../../text/language.ts";

/** How often another radio is tried to learn from it. */
const RATES = [["0", t("Never")], ["0.1", t("1 in 10 moves")], [
  "0.3",
  t("3 in 10 moves"),
]] as const;

/** Numbers of the form: field, label, help. */
const NUMBERS = [
  ["RSSIThresholdDBM", t("Weak signal (dBm)"), t("Only clients at or below it, −100 to −30")],
  ["MinimumImprovementDBM", t("Least gain (dB)"), t("0 to 40")],
  ["CooldownSeconds", t("Pause per client (seconds)"), t("30 to 86400")],
  ["MaxTransitionsPerHour", t("Requests per hour"), t("Of all clients, 1 to 100")],
] as const;

/** Settings of client steering. */
export function RoamingDrawer(
  { config, onClose, onDone }: { config: RoamingConfig; onClose: () => void; onDone: () => void },
): VNode {
  const texts = {
    RSSIThresholdDBM: useSignal(String(config.RSSIThresholdDBM)),
    MinimumImprovementDBM: useSignal(String(config.MinimumImprovementDBM)),
    CooldownSeconds: useSignal(String(config.CooldownSeconds)),
    MaxTransitionsPerHour: useSignal(String(config.MaxTransitionsPerHour)),
  };
  const rate = useSignal(String(config.ExplorationRate));
  const known = RATES.some(([value]) => value === rate.value);
  const write = useForm({
    check: () =>
      NUMBERS.filter(([field]) => !/^[-−]?\d+$/.test(texts[field].value.trim()))
        .map(([field, , help]) => ({
          pointer: `/${field}`,
          message: t("Use a whole number. {help}", { help }),
        })),
    send: () => {
      const numbers = NUMBERS.map(([field]) =>
        [field, Number(texts[field].value.trim().replace("−", "-"))] as const
      );
      const next = {
        ...config,
        ...Object.fromEntries(numbers),
        ExplorationRate: Number(rate.value),
      };
      return previewForm(setSteering(next, () => {
        onClose();
        onDone();
      }));
    },
  });
  return (
    <Dialog
      kind="drawer"
      title={t("Client steering")}
      note={t("Offers clients with a weak signal another radio of the same network")}
      onClose={onClose}
    >
      <Form write={write} failed={t("Nothing was changed.")} id="roaming-form" class="body form">
        {NUMBERS.map(([field, label, help]) => (
          <Field
            key={field}
            label={label}
            help={help}
            autocomplete="off"
            {...write.text(field, texts[field])}
          />
        ))}
        <SelectField
          label={t("Try radios that it knows nothing of")}
          value={rate.value}
          options={known ? RATES : [...RATES, [rate.value, rate.value] as const]}
          onValue={(value) => rate.value = value}
        />
      </Form>
      <FormFooter write={write} form="roaming-form" text={t("Preview")} onClose={onClose} />
    </Dialog>
  );
}
