import type { VNode } from "preact";
import { useMemo } from "preact/hooks";
import { Field } from "../../../parts/form/field.tsx";
import { SelectField } from "../../../parts/form/choice_field.tsx";
import { localInput, momentText } from "../../../text/time.ts";
import { durations, nextClockTime, UNTIL } from "./duration.ts";
import { t } from "../../../text/language.ts";

/** Chooses how long a rule applies. `value` is an `Expiration`, or `schedule` where that is offered. */
export function DurationField(
  { value, onValue, scheduled = false, problem = null }: {
    value: string;
    onValue: (value: string) => void;
    scheduled?: boolean;
    problem?: string | null;
  },
): VNode {
  const now = useMemo(() => Date.now(), []);
  const choices = durations(now, { scheduled });
  const own = !choices.some(([one]) => one === value);
  return (
    <>
      <SelectField
        label={t("Duration")}
        value={own ? UNTIL : value}
        problem={own ? null : problem}
        options={choices}
        onValue={(next) =>
          // Another evening than those that are offered, to begin with.
          onValue(next === UNTIL ? String(nextClockTime("22:00", now)) : next)}
      />
      {own && (
        <Field
          label={t("Until")}
          type="datetime-local"
          help={Number(value) > 0
            ? t("The rule ends {moment}", { moment: momentText(Number(value), now) })
            : ""}
          problem={problem}
          value={Number(value) > 0 ? localInput(Number(value) * 1000) : ""}
          onValue={(text) => onValue(String(Math.floor(new Date(text).getTime() / 1000) || "-"))}
        />
      )}
    </>
  );
}
