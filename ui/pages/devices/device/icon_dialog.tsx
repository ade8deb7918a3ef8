import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { applyOrPreview } from "../../../actions/apply.ts";
import { Dialog } from "../../../parts/overlay/dialog.tsx";
import { Icon } from "../../../parts/show/icon.tsx";
import type { Device } from "../../../wire.ts";
import { styleDevice } from "./actions.ts";
import { COLOURS, glyphOf, ICONS } from "./glyph.ts";
import { useForm } from "../../../parts/form/use_form.ts";
import { Form, SubmitButton } from "../../../parts/form/form.tsx";
import { t } from "../../../text/language.ts";

/** Dialog for the icon and colour of a device, which change nobody's access. */
export function IconDialog(
  { identity, device, onClose }: { identity: string; device: Device; onClose: () => void },
): VNode {
  const icon = useSignal(device.Style?.Icon ?? "");
  const colour = useSignal(device.Style?.Color ?? "");

  const write = useForm({
    async send() {
      await applyOrPreview(styleDevice(identity, icon.value, colour.value));
      onClose();
    },
  });

  return (
    <Dialog kind="box" title={t("Icon")} onClose={onClose}>
      <Form write={write} failed={t("The icon was not changed.")} class="inner form">
        <fieldset class="field">
          <legend class="label">{t("Icon")}</legend>
          <div class="tiles">
            {[["", t("From name")] as const, ...ICONS].map(([value, text]) => (
              <label key={value} title={text}>
                <input
                  type="radio"
                  name="icon"
                  aria-label={text}
                  checked={icon.value === value}
                  onChange={() =>
                    icon.value = value}
                />
                <Icon
                  name={value === ""
                    ? glyphOf({ ...device, Style: { Icon: "", Color: "" } })
                    : value}
                />
              </label>
            ))}
          </div>
          <span class="help">
            {ICONS.find(([value]) => value === icon.value)?.[1] ?? t("From name")}
          </span>
        </fieldset>
        <fieldset class="field">
          <legend class="label">{t("Color")}</legend>
          <div class="tiles">
            {[["", t("None")] as const, ...COLOURS].map(([value, text]) => (
              <label key={value} title={text}>
                <input
                  type="radio"
                  name="colour"
                  aria-label={text}
                  checked={colour.value === value}
                  onChange={() =>
                    colour.value = value}
                />
                <span class={`swatch ${value}`} />
              </label>
            ))}
          </div>
          <span class="help">
            {COLOURS.find(([value]) => value === colour.value)?.[1] ?? t("None")}
          </span>
        </fieldset>
        <div class="row">
          <SubmitButton write={write}>{t("Save")}</SubmitButton>
          <button class="btn" type="button" onClick={onClose}>{t("Cancel")}</button>
        </div>
      </Form>
    </Dialog>
  );
}
