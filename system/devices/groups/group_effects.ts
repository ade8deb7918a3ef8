import type { Config } from "../../config.ts";
import type { EffectContext } from "../../core/engine/change.ts";
import { scheduleText } from "../../core/time/schedule.ts";
import { policyOf } from "../policies.ts";
import { permissionsOf } from "./group_schedule.ts";
import type { Group } from "./group_schema.ts";

/** What a change of the schedules of groups means, whatever the time is now. */
export function groupEffects({ before, after }: EffectContext<Config>): readonly string[] {
  if (before.groups === after.groups) return [];
  const known = new Map(before.groups.map((group) => [group.Name, group]));
  return after.groups.flatMap((group) => {
    const was = scheduleOf(known.get(group.Name)), is = scheduleOf(group);
    if (was === is) return [];
    const title = group.Title ?? group.Name;
    return [
      is === ""
        ? `${title} no longer limits access by time`
        : `Members of ${title} have ${accessOf(group)} only ${is}, by the clock of the router`,
    ];
  });
}

function accessOf({ Policies = [] }: Group): string {
  return permissionsOf(Policies).map((name) => policyOf(name).text.title).join(" and ");
}

/** `on Sat, Sun from 08:00 to 21:00`; "" for always. */
function scheduleOf(group: Group | undefined): string {
  if (group === undefined || group.Disabled) return "";
  return (group.Schedule ?? []).map(scheduleText).join(" and ");
}
