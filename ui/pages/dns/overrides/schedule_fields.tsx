import type { VNode } from "preact";
import { Field } from "../../../parts/form/field.tsx";
import { FieldNote } from "../../../parts/form/field_note.tsx";
import type { DnsSchedule } from "../wire.ts";
import { DAYS } from "./schedule_text.ts";
import { t, tc } from "../../../text/language.ts";

/** The days and the times of day of a schedule. */
export function ScheduleFields(
  { value, onValue, problemAt }: {
    value: DnsSchedule;
    onValue: (value: DnsSchedule) => void;
    problemAt: (name: string) => string | null;
  },
): VNode {
  const { Days, From, To } = value;
  const problem = problemAt("Schedule/Days");
  const night = To <= From ? t("The next day") : "";
  return (
    <fieldset class="schedule">
      <legend>{t("Days")}</legend>
      <div class="row wrap">
        {DAYS.map(([day, word, name]) => (
          <label key={day} class="chip-choice">
            <input
              type="checkbox"
              aria-label={name}
              checked={Days.includes(day)}
              onChange={(event) =>
                onValue({
                  ...value,
                  Days: DAYS.map(([one]) => one).filter((one) =>
                    one === day ? event.currentTarget.checked : Days.includes(one)
                  ),
                })}
            />
            {word}
          </label>
        ))}
      </div>
      <FieldNote id={undefined} problem={problem} help={undefined} />
      <div class="pair">
        <Field
          label={tc("time", "From")}
          type="time"
          value={From}
          problem={problemAt("Schedule/From")}
          onValue={(next) => onValue({ ...value, From: next })}
        />
        <Field
          label={tc("time", "To")}
          type="time"
          help={night}
          value={To}
          problem={problemAt("Schedule/To")}
          onValue={(next) => onValue({ ...value, To: next })}
        />
      </div>
    </fieldset>
  );
}
