import type { VNode } from "preact";
import type { Signal } from "@preact/signals";
import { SelectField } from "../../parts/form/choice_field.tsx";
import type { BackupReport, InterfaceMapping } from "./wire.ts";
import { t } from "../../text/language.ts";

type Missing = BackupReport["missing"][number];
type Present = BackupReport["present"][number];

/** What an interface of the backup is for. */
const ROLES: Readonly<Record<Missing["role"], string>> = {
  uplink: "WAN",
  lan: "LAN",
  "vlan-trunk": t("VLAN trunk"),
  radio: t("Wi-Fi radio"),
  other: t("other"),
};

/** The interfaces that probably replace those that are missing. */
export function suggestedMapping({ missing }: BackupReport): InterfaceMapping {
  return Object.fromEntries(missing.map(({ name, suggestion }) => [name, suggestion]));
}

/** What a restore takes of a mapping: interfaces that are left as they are have no part in it. */
export function mappingBody(mapping: InterfaceMapping): { Interfaces: InterfaceMapping } {
  const chosen = Object.entries(mapping).filter(([, replacement]) => replacement !== "");
  return { Interfaces: Object.fromEntries(chosen) };
}

/** The interfaces of the backup that were given the same one here. */
export function twice(mapping: InterfaceMapping): ReadonlySet<string> {
  const names = Object.keys(mapping).filter((name) => mapping[name] !== "");
  return new Set(
    names.filter((name) =>
      names.some((other) => other !== name && mapping[other] === mapping[name])
    ),
  );
}

/** Lets a person say which interface of this machine replaces each that is missing. */
export function InterfaceFields(
  { missing, present, mapping }: {
    missing: readonly Missing[];
    present: readonly Present[];
    mapping: Signal<InterfaceMapping>;
  },
): VNode {
  const again = twice(mapping.value);
  return (
    <fieldset class="part first">
      <legend class="label">{t("Interfaces")}</legend>
      <p class="soft">
        {t(
          "The backup was made on a machine with other interfaces. Select which interface of this machine replaces each.",
        )}
      </p>
      {missing.map((one) => (
        <SelectField
          key={one.name}
          label={`${one.name} (${ROLES[one.role]})`}
          help={helpOf(one)}
          problem={again.has(one.name) ? t("Select each interface once") : null}
          value={mapping.value[one.name] ?? ""}
          options={[
            [
              "",
              one.here
                ? t("{name}, unchanged", { name: one.name })
                : t("None, apply once it is connected"),
            ],
            ...present.map(optionOf),
          ]}
          onValue={(replacement) => mapping.value = { ...mapping.value, [one.name]: replacement }}
        />
      ))}
    </fieldset>
  );
}

function helpOf({ mac, here }: Missing): string {
  const other = here ? t("Has another name on this machine") : t("Not on this machine");
  return mac === "" ? other : t("{other}, MAC address {mac}", { other, mac });
}

function optionOf({ name, mac, radio }: Present): readonly [string, string] {
  return [
    name,
    [name, ...(radio ? [t("Wi-Fi radio")] : []), ...(mac === "" ? [] : [mac])].join(", "),
  ];
}
