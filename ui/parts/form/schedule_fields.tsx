import type { VNode } from "preact";
import { Field } from "./field.tsx";
import { FieldNote } from "./field_note.tsx";
import type { Schedule } from "../../wire.ts";
import { DAYS } from "../../text/schedule.ts";
import { t, tc } from "../../text/language.ts";

/** The days and the times of day of a schedule. */
export function ScheduleFields(
  { value, onValue, problemAt, path = "Schedule", legend = t("Days") }: {
    value: Schedule;
    onValue: (value: Schedule) => void;
    problemAt: (name: string) => string | null;
    /** Where it stands in what is sent. */
    path?: string;
    /** Tells several of them apart. */
    legend?: string;
  },
): VNode {
  const { Days, From, To } = value;
  const problem = problemAt(`${path}/Days`);
  const night = To <= From ? t("The next day") : "";
  return (
    <fieldset class="schedule">
      <legend>{legend}</legend>
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
          problem={problemAt(`${path}/From`)}
          onValue={(next) => onValue({ ...value, From: next })}
        />
        <Field
          label={tc("time", "To")}
          type="time"
          help={night}
          value={To}
          problem={problemAt(`${path}/To`)}
          onValue={(next) => onValue({ ...value, To: next })}
        />
      </div>
    </fieldset>
  );
}
