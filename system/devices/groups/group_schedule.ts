import type { Config } from "../../config.ts";
import { onceEach } from "../../core/config/memo.ts";
import type { ClosedGroupObservation, Observations } from "../../core/engine/change.ts";
import type { ClosedGroup, ClosedGroups } from "../../core/kernel/desired.ts";
import { timesAt, WEEKDAYS } from "../../core/time/schedule.ts";
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

/** The groups whose schedule withholds access at a time (unix milliseconds, router time zone). */
export function closedGroupsAt(
  groups: readonly Group[],
  now: number,
): Readonly<Record<string, ClosedGroupObservation>> {
  return Object.fromEntries(
    groups.filter(isScheduled).flatMap(({ Name, Schedule }) => {
      const { active, next } = timesAt(Schedule!, now);
      return active ? [] : [[Name, { until: next, opens: clockText(next, now) }]];
    }),
  );
}

/** `07:00`, or with its day (`mon 07:00`) where that is more than a day away; router time zone. */
function clockText(at: number, now: number): string {
  const date = new Date(at);
  const clock = [date.getHours(), date.getMinutes()]
    .map((part) => String(part).padStart(2, "0")).join(":");
  return at - now < DAY_MS ? clock : `${WEEKDAYS[(date.getDay() + 6) % 7]} ${clock}`;
}

/** Unix milliseconds at which the schedule of a group next begins or ends; null where none does. */
export function nextScheduleChange(groups: readonly Group[], now: number): number | null {
  const times = groups.filter(isScheduled).map(({ Schedule }) => timesAt(Schedule!, now).next)
    .filter(Number.isFinite);
  return times.length === 0 ? null : times.reduce((a, b) => Math.min(a, b));
}

/** What was observed, with the groups that are closed now; the same object where these stay so. */
export function withClosedGroups(
  { groups }: Pick<Config, "groups">,
  observed: Observations,
  now: number,
): Observations {
  const { closedGroups: before = {}, ...rest } = observed;
  const after = closedGroupsAt(groups, now);
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
