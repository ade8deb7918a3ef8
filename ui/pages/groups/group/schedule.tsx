import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { previewForm } from "../../../actions/apply.ts";
import { Form, SubmitButton } from "../../../parts/form/form.tsx";
import { ScheduleFields } from "../../../parts/form/schedule_fields.tsx";
import { useForm } from "../../../parts/form/use_form.ts";
import { ACCESS } from "../../../text/policies.ts";
import { SCHOOL_DAYS } from "../../../text/schedule.ts";
import { momentText } from "../../../text/time.ts";
import { t } from "../../../text/language.ts";
import type { Group, Schedule } from "../../../wire.ts";
import { scheduleGroup } from "../actions.ts";

/** Times of the week that the form offers; the API takes more. */
const MAX_TIMES = 14;

/** When the members of a group may use its access. */
export function GroupSchedule({ group }: { group: Group }): VNode {
  const limits = ACCESS.some(({ effect, name }) =>
    effect === "allow" && group.Policies?.includes(name)
  );
  return (
    <section class="panel" aria-labelledby="schedule">
      <header>
        <h2 id="schedule">{t("Schedule")}</h2>
      </header>
      {group.ClosedUntil !== undefined && (
        <p class="pad s warning-t">
          {t("Closed until {moment}", { moment: momentText(group.ClosedUntil, Date.now()) })}
        </p>
      )}
      {limits ? <Times group={group} /> : (
        <p class="pad s">
          {t("Choose the access of new members first. The schedule applies to that access.")}
        </p>
      )}
      <p class="pad s quiet">
        {t("Custom DNS rules block or allow names for a group at certain hours.")}{" "}
        <a href="/admin/dns/overrides">{t("Custom rules")}</a>
      </p>
    </section>
  );
}

function Times({ group }: { group: Group }): VNode {
  const times = useSignal<readonly Schedule[]>(group.Schedule ?? []);
  const write = useForm({ send: () => previewForm(scheduleGroup(group, times.value)) });
  const isStored = JSON.stringify(times.value) === JSON.stringify(group.Schedule ?? []);
  return (
    <Form write={write} failed={t("The schedule was not changed.")} class="pad form">
      <p class="s">
        {times.value.length === 0
          ? t("Members have their access at all times.")
          : t("Members have the access of the group only at these times, by the router's clock.")}
      </p>
      {times.value.map((one, at) => (
        <div key={at} class="stack">
          <ScheduleFields
            value={one}
            path={`Schedule/${at}`}
            problemAt={write.at}
            onValue={(next) => {
              times.value = times.value.with(at, next);
              write.edited("Schedule");
            }}
          />
          <div class="row">
            <button
              class="btn small"
              type="button"
              onClick={() => times.value = times.value.toSpliced(at, 1)}
            >
              {t("Remove these times")}
            </button>
          </div>
        </div>
      ))}
      <div class="row">
        {times.value.length < MAX_TIMES && (
          <button
            class="btn"
            type="button"
            onClick={() =>
              times.value = [...times.value, times.value.length === 0 ? SCHOOL_DAYS : WEEKEND]}
          >
            {t("Add times")}
          </button>
        )}
        {!isStored && <SubmitButton write={write}>{t("Preview the schedule")}</SubmitButton>}
      </div>
    </Form>
  );
}

const WEEKEND: Schedule = { Days: ["sat", "sun"], From: "08:00", To: "21:00" };
