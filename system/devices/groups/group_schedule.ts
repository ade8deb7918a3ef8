import type { Config } from "../../config.ts";
import { onceEach } from "../../core/config/memo.ts";
import type { ClosedGroupObservation, Observations } from "../../core/engine/change.ts";
import type { ClosedGroup, ClosedGroups } from "../../core/kernel/desired.ts";
import { timesAt, WEEKDAYS, weekdayText } from "../../core/time/schedule.ts";
import { type Policy, policyOf } from "../policies.ts";
import type { Group } from "./group_schema.ts";

const DAY_MS = 24 * 3600_000;

/** The policies among these that allow something: what a schedule can withhold. */
export function permissionsOf(policies: readonly Policy[]): readonly Policy[] {
  return policies.filter((name) => policyOf(name).effect.kind === "allow");
}

function isScheduled(group: Group): boolean {
  return !group.Disabled && (group.Schedule?.length ?? 0) > 0;
}

/**
 * The groups whose schedule withholds access at one of these times at least (unix milliseconds, router
 * time zone): where it is not known how late it is, a group that may be closed is.
 */
export function closedGroupsAt(
  groups: readonly Group[],
  times: readonly number[],
): Readonly<Record<string, ClosedGroupObservation>> {
  return Object.fromEntries(
    groups.filter(isScheduled).flatMap(({ Name, Schedule }) => {
      for (const now of times) {
        const { active, next } = timesAt(Schedule!, now);
        if (!active) return [[Name, { until: next, opens: clockText(next, now) }]];
      }
      return [];
    }),
  );
}

/** `07:00`, or with its day (`Mon 07:00`) where that is more than a day away; router time zone. */
function clockText(at: number, now: number): string {
  const date = new Date(at);
  const clock = [date.getHours(), date.getMinutes()]
    .map((part) => String(part).padStart(2, "0")).join(":");
  return at - now < DAY_MS ? clock : `${weekdayText(WEEKDAYS[(date.getDay() + 6) % 7]!)} ${clock}`;
}

/**
 * Milliseconds until the schedule of a group next begins or ends, by whichever of these times is first
 * (unix milliseconds); null where none does.
 */
export function untilScheduleChange(
  groups: readonly Group[],
  times: readonly number[],
): number | null {
  const waits = groups.filter(isScheduled)
    .flatMap(({ Schedule }) => times.map((now) => timesAt(Schedule!, now).next - now))
    .filter(Number.isFinite);
  return waits.length === 0 ? null : waits.reduce((a, b) => Math.min(a, b));
}

/**
 * What was observed, with the groups that are closed at one of these times; the same object where these
 * stay so.
 */
export function withClosedGroups(
  { groups }: Pick<Config, "groups">,
  observed: Observations,
  times: readonly number[],
): Observations {
  const { closedGroups: before = {}, ...rest } = observed;
  const after = closedGroupsAt(groups, times);
  if (JSON.stringify(before) === JSON.stringify(after)) return observed;
  return Object.keys(after).length === 0 ? rest : { ...rest, closedGroups: after };
}

/** No group is closed. */
export const NONE_CLOSED: ClosedGroups = {};

/** What closed groups withhold from their members. Equal calls give the same object. */
export function closedGroups(
  groups: readonly Group[],
  closed: NonNullable<Observations["closedGroups"]>,
): ClosedGroups {
  return closedOf(groups)(closed);
}

const closedOf = onceEach((groups: readonly Group[]) =>
  onceEach((closed: NonNullable<Observations["closedGroups"]>): ClosedGroups =>
    Object.fromEntries(groups.flatMap((group): [string, ClosedGroup][] => {
      // What was seen may be older than the schedule that was taken away since.
      if (!isScheduled(group) || !Object.hasOwn(closed, group.Name)) return [];
      const seen = closed[group.Name]!;
      return [[group.Name, {
        title: group.Title ?? group.Name,
        withheld: new Set(permissionsOf(group.Policies ?? [])),
        opens: seen.opens,
      }]];
    }))
  )
);

/** The closed group that withholds a policy from a device; undefined where none does. */
export function withholding(
  policy: Policy,
  groups: readonly string[],
  closed: ClosedGroups,
): ClosedGroup | undefined {
  if (closed === NONE_CLOSED) return undefined;
  const name = groups.find((name) =>
    Object.hasOwn(closed, name) && closed[name]!.withheld.has(policy)
  );
  return name === undefined ? undefined : closed[name];
}
