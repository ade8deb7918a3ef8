import type { Config } from "../../config.ts";
import type { ChangeEngine } from "../../core/engine/change.ts";
import type { Bus } from "../../core/events/bus.ts";
import { type DueTimer, startDueTimer } from "../../core/time/due_timer.ts";
import type { Alarm } from "../../core/time/timeouts.ts";
import { closedGroupsAt, nextScheduleChange } from "./group_schedule.ts";
import { groupsDocument } from "./group_document.ts";

/** Milliseconds. */
const MIN_SLEEP_MS = 1;

/** What the timer needs; the clock and the alarm come from outside so that tests own time. */
export interface ScheduleTimerDeps {
  readonly engine: Pick<ChangeEngine<Config>, "config" | "observed" | "observe">;
  readonly bus: Pick<Bus, "subscribe" | "publish">;
  /** The clock that the engine closes groups by, in unix milliseconds. */
  readonly now: () => number;
  readonly alarm?: Alarm;
  readonly log: (error: unknown) => void;
}

/**
 * Has the engine look at the clock whenever the schedule of a group begins or ends, and each minute, so
 * that a clock that was set is noticed. Publishes which groups were closed and opened.
 */
export function startScheduleTimer(deps: ScheduleTimerDeps): DueTimer {
  const { engine, bus, now } = deps;
  const closed = () => engine.observed.closedGroups ?? {};
  let published = closed();

  const unpublished = (): readonly string[] =>
    [...new Set([...Object.keys(published), ...Object.keys(closed())])]
      .filter((name) => Object.hasOwn(published, name) !== Object.hasOwn(closed(), name));

  function publish(): void {
    const stands = closed();
    for (const name of unpublished()) {
      const until = stands[name]?.until;
      bus.publish("group:schedule", {
        Name: name,
        Closed: until !== undefined,
        Until: until === undefined ? 0 : Math.floor(until / 1000),
      });
    }
    published = stands;
  }

  return startDueTimer({
    ...deps,
    topic: groupsDocument.topic,
    minSleep: MIN_SLEEP_MS,
    // A write closes or opens a group by itself.
    next: () => unpublished().length > 0 ? now() : nextScheduleChange(engine.config.groups, now()),
    async act() {
      const due = closedGroupsAt(engine.config.groups, now());
      if (JSON.stringify(due) !== JSON.stringify(closed())) await engine.observe((seen) => seen);
      publish();
    },
  });
}
