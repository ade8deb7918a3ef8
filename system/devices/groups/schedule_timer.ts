import type { Config } from "../../config.ts";
import type { ChangeEngine } from "../../core/engine/change.ts";
import type { Bus } from "../../core/events/bus.ts";
import { type DueTimer, startDueTimer } from "../../core/time/due_timer.ts";
import type { Alarm } from "../../core/time/timeouts.ts";
import { closedGroupsAt, untilScheduleChange } from "./group_schedule.ts";
import { groupsDocument } from "./group_document.ts";

/** Milliseconds. */
const MIN_SLEEP_MS = 1;

/** What the timer needs; the clock and the alarm come from outside so that tests own time. */
export interface ScheduleTimerDeps {
  readonly engine: Pick<ChangeEngine<Config>, "config" | "observed" | "observe">;
  readonly bus: Pick<Bus, "subscribe" | "publish">;
  /** The times that it may be, by which the engine closes groups, the best guess first; unix milliseconds. */
  readonly times: () => readonly number[];
  /** Keeps the time, so that a start after a crash does not go back behind what was closed or opened. */
  readonly saveTime: () => Promise<void>;
  readonly alarm?: Alarm;
  readonly log: (error: unknown) => void;
}

/**
 * Has the engine look at the clock whenever the schedule of a group begins or ends, and each minute, so
 * that a clock that was set is noticed. Publishes which groups were closed and opened.
 */
export function startScheduleTimer(deps: ScheduleTimerDeps): DueTimer {
  const { engine, bus, times, saveTime } = deps;
  const now = (): number => times()[0]!;
  const closed = () => engine.observed.closedGroups ?? {};
  let published = closed();
  /** What it is by the clock that the start believed in the end is kept. */
  let isKept = false;

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

  function next(): number | null {
    // A write closes or opens a group by itself.
    if (unpublished().length > 0) return now();
    const wait = untilScheduleChange(engine.config.groups, times());
    return wait === null ? null : now() + wait;
  }

  return startDueTimer({
    ...deps,
    now,
    next,
    topic: groupsDocument.topic,
    minSleep: MIN_SLEEP_MS,
    async act() {
      const due = closedGroupsAt(engine.config.groups, times());
      if (JSON.stringify(due) !== JSON.stringify(closed())) await engine.observe((seen) => seen);
      const hasMoved = unpublished().length > 0;
      const isSettled = times().length === 1 && next() !== null;
      publish();
      if (!hasMoved && (isKept || !isSettled)) return;
      await saveTime();
      isKept ||= isSettled;
    },
  });
}
