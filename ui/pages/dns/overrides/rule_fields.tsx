import type { VNode } from "preact";
import type { Signal } from "@preact/signals";
import type { Action } from "../../../actions/action.ts";
import { applyOrPreview } from "../../../actions/apply.ts";
import { Field } from "../../../parts/form/field.tsx";
import { SelectField } from "../../../parts/form/choice_field.tsx";
import { type FormState, useForm } from "../../../parts/form/use_form.ts";
import { clientAt } from "../log/clients.ts";
import { listed } from "../lists/actions.ts";
import type { Schedule } from "../../../wire.ts";
import type { DomainOverride } from "../wire.ts";
import { bare } from "../text.ts";
import { audienceChoices, audienceOf, audienceValue, parseAudience } from "./audience.ts";
import { decideName } from "./actions.ts";
import { SCHEDULED } from "./duration.ts";
import { DurationField } from "./duration_field.tsx";
import { ScheduleFields } from "../../../parts/form/schedule_fields.tsx";
import { SCHOOL_NIGHTS } from "../../../text/schedule.ts";
import { t } from "../../../text/language.ts";

/** What is typed into the form of a custom rule. */
export interface RuleDraft {
  readonly domain: string;
  readonly type: "block" | "permit" | "answer";
  /** Address or name that is answered instead. */
  readonly instead: string;
  /** As {@link audienceValue} writes it. */
  readonly audience: string;
  readonly tags: string;
  /** An `Expiration`, or `schedule`. */
  readonly duration: string;
  readonly schedule: Schedule;
}

export const NEW_RULE: RuleDraft = {
  domain: "",
  type: "block",
  instead: "",
  audience: "*",
  tags: "",
  duration: "0",
  schedule: SCHOOL_NIGHTS,
};

/** A rule as its form shows it. */
export function draftOf(rule: DomainOverride): RuleDraft {
  const instead = rule.ResultIP || bare(rule.ResultCNAME);
  return {
    domain: rule.Domain === "." ? "." : bare(rule.Domain),
    type: instead !== "" ? "answer" : rule.Type.toLowerCase() === "permit" ? "permit" : "block",
    instead,
    audience: audienceValue(audienceOf(rule)),
    tags: rule.Tags.join(", "),
    duration: rule.Schedule === undefined ? String(rule.Expiration) : SCHEDULED,
    schedule: rule.Schedule ?? SCHOOL_NIGHTS,
  };
}

/** The change that a draft asks for. */
export function ruleAction(
  draft: RuleDraft,
  { list, replaces, after }: {
    readonly list: string;
    readonly replaces?: DomainOverride | undefined;
    readonly after: () => void;
  },
): Action {
  const { client, groups } = parseAudience(draft.audience);
  return decideName(
    {
      type: draft.type === "permit" ? "permit" : "block",
      domain: draft.domain.trim(),
      client,
      who: clientAt(client) ?? "",
      groups,
      seconds: draft.duration,
      schedule: draft.duration === SCHEDULED ? draft.schedule : undefined,
      instead: draft.type === "answer" ? draft.instead.trim() : "",
      tags: listed(draft.tags),
      replaces,
    },
    after,
    list,
  );
}

/** The form of a rule, which is applied at once where nobody's access changes. */
export function useRuleForm(draft: Signal<RuleDraft>, act: () => Action): FormState {
  return useForm({
    check: () => [
      ...(draft.value.domain.trim() === ""
        ? [{ pointer: "/Domain", message: t("This field is required") }]
        : []),
      ...(draft.value.type === "answer" && draft.value.instead.trim() === ""
        ? [{ pointer: "/ResultIP", message: t("This field is required") }]
        : []),
    ],
    send: () => applyOrPreview(act()),
  });
}

/** The fields of a custom rule. */
export function RuleFields(
  { draft, write }: { draft: Signal<RuleDraft>; write: FormState },
): VNode {
  const { domain, type, instead, audience, tags, duration, schedule } = draft.value;
  function set(part: Partial<RuleDraft>, ...names: readonly string[]): void {
    draft.value = { ...draft.value, ...part };
    for (const name of names) write.edited(name);
  }
  return (
    <>
      <Field
        label={t("Domain")}
        help={t("For example ads.example.com. Includes subdomains")}
        autocomplete="off"
        value={domain}
        problem={write.at("Domain")}
        onValue={(value) => set({ domain: value }, "Domain")}
      />
      <SelectField
        label={t("Action")}
        value={type}
        options={[["block", t("Block")], ["permit", t("Allow")], ["answer", t("Rewrite to")]]}
        onValue={(value) => set({ type: value as RuleDraft["type"] })}
      />
      {type === "answer" && (
        <Field
          label={t("Rewrite to")}
          help={t("IP address or domain, for example 192.168.2.10")}
          autocomplete="off"
          value={instead}
          problem={write.at("ResultIP") ?? write.at("ResultCNAME")}
          onValue={(value) => set({ instead: value }, "ResultIP", "ResultCNAME")}
        />
      )}
      <SelectField
        label={t("Applies to")}
        value={audience}
        problem={write.at("ClientIP") ?? write.at("Groups")}
        options={audienceChoices(audience)}
        onValue={(value) => set({ audience: value }, "ClientIP", "Groups")}
      />
      <Field
        label={t("Device tags")}
        help={t("Comma-separated; empty = all")}
        autocomplete="off"
        value={tags}
        problem={write.at("Tags")}
        onValue={(value) => set({ tags: value }, "Tags")}
      />
      <DurationField
        scheduled
        value={duration}
        problem={write.at("Expiration")}
        onValue={(value) => set({ duration: value }, "Expiration")}
      />
      {duration === SCHEDULED && (
        <ScheduleFields
          value={schedule}
          problemAt={write.at}
          onValue={(value) => set({ schedule: value }, "Schedule")}
        />
      )}
    </>
  );
}
