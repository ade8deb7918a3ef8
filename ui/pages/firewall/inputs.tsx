import type { VNode } from "preact";
import { CheckField, SelectField } from "../../parts/form/choice_field.tsx";
import { Field } from "../../parts/form/field.tsx";
import { INTERFACE_POLICIES } from "../../text/policies.ts";
import { type RuleField, type Values } from "./fields.ts";
import { addressOf, BOTH, deviceChoices, deviceNames, policyText } from "./text.ts";
import { t } from "../../text/language.ts";

const ADDRESS_LIST = "rule-addresses";
const PROTOCOLS = [["tcp", "TCP"], ["udp", "UDP"], [BOTH, t("TCP and UDP")]] as const;

/** The devices, for fields that may name one. */
export function AddressList(): VNode {
  return (
    <datalist id={ADDRESS_LIST}>
      {deviceChoices.value.map(([value, text]) => <option key={value} value={value}>{text}
      </option>)}
    </datalist>
  );
}

/** The input that fits one field of a rule. */
export function RuleInput(
  { field, values, problem, maxLength, onValue }: {
    field: RuleField;
    values: Values;
    problem: string | null;
    maxLength: number | undefined;
    onValue: (value: string | boolean | readonly string[]) => void;
  },
): VNode {
  const value = values[field.name];
  const { help } = field;
  switch (field.input) {
    case "check":
      return (
        <CheckField
          label={field.label}
          help={help}
          value={value === true}
          onValue={onValue}
        />
      );
    case "protocol":
      return (
        <SelectField
          label={field.label}
          help={help}
          problem={problem}
          value={String(value)}
          options={PROTOCOLS}
          onValue={onValue}
        />
      );
    case "policies":
      return (
        <fieldset class="ticks">
          <legend class="label">{field.label}</legend>
          {INTERFACE_POLICIES.map(({ name: policy }) => {
            const chosen = value as readonly string[];
            return (
              <CheckField
                key={policy}
                label={policyText(policy)}
                value={chosen.includes(policy)}
                onValue={(on) =>
                  onValue(on ? [...chosen, policy] : chosen.filter((one) => one !== policy))}
              />
            );
          })}
          {problem && <span class="problem">{problem}</span>}
        </fieldset>
      );
    default: {
      const text = String(value ?? "");
      const listsAddresses = field.input === "address" || field.input === "host";
      const named = listsAddresses ? deviceText(text.trim()) : undefined;
      return (
        <Field
          label={field.label}
          help={named ?? help ?? ""}
          problem={problem}
          value={text}
          autocomplete="off"
          {...(listsAddresses ? { list: ADDRESS_LIST } : {})}
          {...(maxLength === undefined ? {} : { maxLength })}
          onValue={onValue}
        />
      );
    }
  }
}

/** Which device is meant by a name or address; undefined where none is. */
function deviceText(text: string): string | undefined {
  const address = addressOf(text);
  const name = deviceNames.value.get(address);
  if (name === undefined) return undefined;
  return address === text
    ? t("This is {name}. The rule follows the device", { name })
    : t("{name} has {address}. The rule follows the device", { name, address });
}
