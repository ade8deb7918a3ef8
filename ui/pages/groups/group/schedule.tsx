import type { VNode } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { previewForm } from "../../../actions/apply.ts";
import { Form, SubmitButton } from "../../../parts/form/form.tsx";
import { ScheduleFields } from "../../../parts/form/schedule_fields.tsx";
import { useDraft } from "../../../parts/form/use_draft.ts";
import { useForm } from "../../../parts/form/use_form.ts";
import { ACCESS } from "../../../text/policies.ts";
import { SCHOOL_DAYS } from "../../../text/schedule.ts";
import { momentText } from "../../../text/time.ts";
import { t } from "../../../text/language.ts";
import type { Group, Schedule } from "../../../wire.ts";
import { scheduleGroup, timesOf } from "../actions.ts";

/** Times of the week that a group may have, as the API takes them. */
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
  const draft = useDraft(timesOf(group));
  const times = draft.value;
  const write = useForm({
    async send({ overwrite }) {
      const action = scheduleGroup(group, times, overwrite ? null : draft.from);
      await previewForm({ ...action, after: draft.saved });
    },
  });
  const add = useRef<HTMLButtonElement>(null);
  const next = useRef<"none" | "last" | "add">("none");
  // What had the focus is gone, or the person goes on in what is new.
  useLayoutEffect(() => {
    if (next.current === "add") add.current?.focus();
    if (next.current === "last") {
      const sets = write.form.current?.querySelectorAll("fieldset") ?? [];
      [...sets].at(-1)?.querySelector("input")?.focus();
    }
    next.current = "none";
  }, [times.length]);

  /** Edits, after which what was said about an entry may be about another one. */
  function edit(value: readonly Schedule[], focus: "none" | "last" | "add" = "none"): void {
    next.current = focus;
    draft.edit(value);
    write.edited("Schedule");
  }

  return (
    <Form write={write} failed={t("The schedule was not changed.")} class="pad form" draft={draft}>
      <p class="s">
        {times.length === 0
          ? t("Members have their access at all times.")
          : t("Members have the access of the group only at these times, by the router's clock.")}
      </p>
      {times.map((one, at) => (
        <div key={at} class="stack">
          <ScheduleFields
            value={one}
            path={`Schedule/${at}`}
            problemAt={write.at}
            onValue={(value) => edit(times.with(at, value))}
            {...(times.length > 1 ? { legend: t("Times {number}", { number: at + 1 }) } : {})}
          />
          <div class="row">
            <button
              class="btn small"
              type="button"
              onClick={() =>
                edit(times.toSpliced(at, 1), "add")}
            >
              {times.length > 1
                ? t("Remove times {number}", { number: at + 1 })
                : t("Remove these times")}
            </button>
          </div>
        </div>
      ))}
      <div class="row">
        {times.length < MAX_TIMES && (
          <button
            ref={add}
            class="btn"
            type="button"
            onClick={() => edit([...times, times.length === 0 ? SCHOOL_DAYS : WEEKEND], "last")}
          >
            {t("Add times")}
          </button>
        )}
        {draft.isEdited && <SubmitButton write={write}>{t("Preview the schedule")}</SubmitButton>}
      </div>
    </Form>
  );
}

const WEEKEND: Schedule = { Days: ["sat", "sun"], From: "08:00", To: "21:00" };
