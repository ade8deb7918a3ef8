import type { VNode } from "preact";
import { useId } from "preact/hooks";
import { formRules } from "../../../generated/form_rules.ts";
import { CheckField } from "../../../parts/form/choice_field.tsx";
import { Field } from "../../../parts/form/field.tsx";
import type { FormState } from "../../../parts/form/use_form.ts";
import { groups } from "../../../state/store.ts";
import { ADMIN } from "../../../text/policies.ts";
import { CHOICES, type NewDevice } from "./actions.ts";
import { t } from "../../../text/language.ts";

/** Name, access and groups: the fields of every form that adds a device. */
export function NewDeviceFields(
  { value, onValue, write }: {
    value: NewDevice;
    onValue: (value: NewDevice) => void;
    write: FormState;
  },
): VNode {
  const id = useId();
  return (
    <>
      <Field
        label={t("Name")}
        help={t("Also its local DNS name")}
        autocomplete="off"
        maxLength={formRules.deviceName.maxLength}
        problem={write.at("Name")}
        value={value.name}
        onValue={(name) => {
          onValue({ ...value, name });
          write.edited("Name");
        }}
      />
      <fieldset class="field">
        <legend class="label">{t("Access")}</legend>
        <div class="pick">
          {CHOICES.map((choice) => (
            <label key={choice.value}>
              <input
                class="radio"
                type="radio"
                name={`${id}-access`}
                checked={value.access === choice.value}
                onChange={() => onValue({ ...value, access: choice.value })}
              />
              <b>{choice.label}</b>
              <small>{choice.help}</small>
            </label>
          ))}
        </div>
      </fieldset>
      <CheckField
        label={ADMIN.title}
        help={ADMIN.description}
        value={value.admin}
        onValue={(admin) => onValue({ ...value, admin })}
      />
      <Field
        label={t("Groups")}
        help={t("Existing or new, comma-separated. Members reach each other on all ports")}
        autocomplete="off"
        list={`${id}-groups`}
        problem={write.at("Groups")}
        value={value.groups}
        onValue={(groups) => {
          onValue({ ...value, groups });
          write.edited("Groups");
        }}
      />
      <datalist id={`${id}-groups`}>
        {(groups.value ?? []).map(({ Name }) => <option key={Name} value={Name} />)}
      </datalist>
    </>
  );
}
