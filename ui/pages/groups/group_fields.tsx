import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { formRules } from "../../generated/form_rules.ts";
import { CheckField, SelectField } from "../../parts/form/choice_field.tsx";
import { Field } from "../../parts/form/field.tsx";
import type { FormState } from "../../parts/form/use_form.ts";
import { devices } from "../../state/store.ts";
import { nameOf } from "../../text/format.ts";
import { ACCESS_OPTIONS, type GroupDraft } from "./actions.ts";
import { t } from "../../text/language.ts";

/** Devices that the picker lists before a filter is needed. */
const LISTED = 12;

/** Name, access and reach of a group. */
export function GroupFields(
  { write, draft, onDraft }: {
    write: FormState;
    draft: GroupDraft;
    onDraft: (draft: GroupDraft) => void;
  },
): VNode {
  const known = ACCESS_OPTIONS.some(([value]) => value === draft.access);
  return (
    <>
      <Field
        label={t("Name")}
        help={t("For example Kids, Media, Guests")}
        maxLength={formRules.label.maxLength}
        autocomplete="off"
        value={draft.title}
        problem={write.at("Name") ?? write.at("Title")}
        onValue={(title) => {
          onDraft({ ...draft, title });
          write.edited("Name");
          write.edited("Title");
        }}
      />
      <SelectField
        label={t("Access of new members")}
        help={t("What a device gets when it is added here")}
        value={draft.access}
        options={known ? ACCESS_OPTIONS : [...ACCESS_OPTIONS, [draft.access, draft.access]]}
        problem={write.at("Policies")}
        onValue={(access) =>
          onDraft({
            ...draft,
            access,
            // Guests have nothing to do with each other.
            isolated: access.includes("guestonly") || draft.isolated,
          })}
      />
      <CheckField
        label={t("Members may reach each other")}
        help={t("On all ports, in both directions; leave off for guests")}
        value={!draft.isolated}
        onValue={(reach) => onDraft({ ...draft, isolated: !reach })}
      />
    </>
  );
}

/** Devices to tick, with a filter where there are many. */
export function MemberPicker(
  { legend, without = [], chosen, onChosen }: {
    legend: string;
    /** Identities that are not offered. */
    without?: readonly string[];
    chosen: ReadonlySet<string>;
    onChosen: (chosen: ReadonlySet<string>) => void;
  },
): VNode {
  const filter = useSignal("");
  const wanted = filter.value.trim().toLowerCase();
  const all = Object.entries(devices.value ?? {})
    .filter(([identity]) => !without.includes(identity))
    .map(([identity, device]) => ({ identity, name: nameOf(identity, device) }))
    .toSorted((a, b) => a.name.localeCompare(b.name));
  const found = all.filter(({ identity, name }) =>
    chosen.has(identity) || name.toLowerCase().includes(wanted)
  );
  const shown = found.filter(({ identity }, at) => at < LISTED || chosen.has(identity));
  return (
    <fieldset class="ticks">
      <legend class="label">{legend}</legend>
      {all.length > LISTED && (
        <input
          class="input"
          type="search"
          aria-label={t("Filter devices")}
          placeholder={t("Filter devices")}
          value={filter.value}
          onInput={(event) => filter.value = event.currentTarget.value}
        />
      )}
      {shown.map(({ identity, name }) => (
        <CheckField
          key={identity}
          label={name}
          value={chosen.has(identity)}
          onValue={(on) => {
            const next = new Set(chosen);
            if (on) next.add(identity);
            else next.delete(identity);
            onChosen(next);
          }}
        />
      ))}
      {shown.length < found.length && (
        <p class="s quiet">
          {t("And {found} more: use the filter.", { found: found.length - shown.length })}
        </p>
      )}
      {all.length === 0 && <p class="s quiet">{t("No other devices.")}</p>}
    </fieldset>
  );
}
