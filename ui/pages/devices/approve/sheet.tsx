import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { useEffect, useId, useLayoutEffect } from "preact/hooks";
import { applyAtOnce, dryRun } from "../../../actions/apply.ts";
import { approving } from "../../../actions/approve.ts";
import { formRules } from "../../../generated/form_rules.ts";
import { SelectField } from "../../../parts/form/choice_field.tsx";
import { Field } from "../../../parts/form/field.tsx";
import { Form } from "../../../parts/form/form.tsx";
import { FormFooter } from "../../../parts/form/form_footer.tsx";
import { useForm } from "../../../parts/form/use_form.ts";
import { Dialog } from "../../../parts/overlay/dialog.tsx";
import { AccessSummary } from "../../../parts/preview/access_summary.tsx";
import { devices, groups } from "../../../state/store.ts";
import { nameOf } from "../../../text/format.ts";
import type { Preview } from "../../../wire.ts";
import { ICONS } from "../device/glyph.ts";
import { approveDevices, type Decision, EXPIRY_OPTIONS, PRESETS, startOf } from "./presets.ts";
import { t, tn } from "../../../text/language.ts";

/** Milliseconds after the last edit before what it would do is computed. */
const PREVIEW_DELAY_MS = 200;
const NAMED = 4;

/** The sheet in which one device or several are approved or blocked by one button. */
export function ApprovalSheet({ identities }: { identities: readonly string[] }): VNode {
  const decision = useSignal<Decision>(startOf(identities));
  const id = useId();
  const { value } = decision;
  const set = (part: Partial<Decision>): void => void (decision.value = { ...value, ...part });
  const close = (): void => void (approving.value = null);
  const action = approveDevices(identities, value);
  const preview = usePreview(action.request().body);
  const write = useForm({
    async send() {
      await applyAtOnce(action);
      close();
    },
  });
  useLayoutEffect(() => write.form.current?.querySelector<HTMLElement>(":checked")?.focus(), []);

  return (
    <Dialog
      kind="drawer"
      title={identities.length === 1
        ? t("Approve device")
        : t("Approve {identities} devices", { identities: identities.length })}
      note={namesOf(identities)}
      focusTitle={false}
      onClose={close}
    >
      <Form write={write} failed={t("No changes were made.")} id={`${id}-form`} class="body form">
        <fieldset class="field">
          <legend class="label">{t("Access")}</legend>
          <div class="pick cards">
            {PRESETS.map(({ name, title, help }) => (
              <label key={name}>
                <input
                  class="radio"
                  type="radio"
                  name={`${id}-preset`}
                  checked={value.preset === name}
                  onChange={() =>
                    set({
                      preset: name,
                      expiry: name === "guest"
                        ? "day"
                        : value.preset === "guest"
                        ? "never"
                        : value.expiry,
                    })}
                />
                <b>{title}</b>
                <small>{help}</small>
              </label>
            ))}
          </div>
        </fieldset>
        {identities.length === 1 && (
          <div class="pairs">
            <Field
              label={t("Name")}
              autocomplete="off"
              maxLength={formRules.deviceName.maxLength}
              value={value.name}
              problem={write.at("Name")}
              onValue={(name) => {
                set({ name });
                write.edited("Name");
              }}
            />
            <SelectField
              label={t("Icon")}
              value={value.icon}
              options={[["", t("From name and type")], ...ICONS]}
              onValue={(icon) => set({ icon })}
            />
          </div>
        )}
        {value.preset !== "blocked" && (
          <div class="pairs">
            <Field
              label={t("Group")}
              help={t("Optional. Members reach each other")}
              autocomplete="off"
              list={`${id}-groups`}
              value={value.group}
              problem={write.at("Groups")}
              onValue={(group) => {
                set({ group });
                write.edited("Groups");
              }}
            />
            <SelectField
              label={t("Expires")}
              help={t("It is blocked then")}
              value={value.expiry}
              options={EXPIRY_OPTIONS}
              onValue={(expiry) => set({ expiry })}
            />
          </div>
        )}
        <datalist id={`${id}-groups`}>
          {(groups.value ?? []).map(({ Name }) => <option key={Name} value={Name} />)}
        </datalist>
        {preview !== null && (
          <div>
            <AccessSummary preview={preview} devices={devices.value ?? {}} />
          </div>
        )}
      </Form>
      <FormFooter write={write} form={`${id}-form`} text={action.button} onClose={close} />
    </Dialog>
  );
}

function namesOf(identities: readonly string[]): string {
  const names = identities.slice(0, NAMED).map((one) => nameOf(one, devices.value?.[one]));
  const more = identities.length - names.length;
  return more > 0
    ? tn("{names} and {count} more device", "{names} and {count} more devices", more, {
      names: names.join(", "),
    })
    : names.join(", ");
}

/** What the request would do, computed once it rests; null until then and where it is refused. */
function usePreview(body: unknown): Preview | null {
  const preview = useSignal<Preview | null>(null);
  const text = JSON.stringify(body);
  useEffect(() => {
    let isOver = false;
    const timer = setTimeout(() => {
      dryRun({ method: "PUT", path: "/devices/approve", body }).then(
        (next) => isOver || (preview.value = next),
        // What is wrong is said when it is sent.
        () => isOver || (preview.value = null),
      );
    }, PREVIEW_DELAY_MS);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [text]);
  return preview.value;
}
