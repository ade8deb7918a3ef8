import type { Config } from "../config.ts";
import { changedMembers } from "../core/config/memo.ts";
import type { EffectContext } from "../core/engine/change.ts";
import { skeleton } from "../core/net/look_alike.ts";
import { hasAdminAccess } from "./admin_access.ts";
import { isUndecided, titleOf } from "./device.ts";
import { nameList } from "./name_list.ts";
import { policyOf } from "./policies.ts";
import type { Device } from "./schema.ts";

/** What a change of devices means beside connections: admin access, and what time will do. */
export function deviceEffects({ before, after }: EffectContext<Config>): readonly string[] {
  if (before.devices === after.devices) return [];
  const changed = changedMembers(before.devices, after.devices) ?? Object.keys(after.devices);
  const admins: string[] = [], others: string[] = [], ends: string[] = [];
  const nameless: string[] = [];
  const named: (readonly [identity: string, name: string])[] = [];
  for (const identity of changed) {
    const was = before.devices[identity], is = after.devices[identity];
    if (is === undefined || was === is) continue;
    const title = titleOf(identity, is);
    const isApproved = was !== undefined && isUndecided(was) && !isUndecided(is);
    if (is.Name !== "" && (is.Name !== was?.Name || isApproved)) named.push([identity, is.Name]);
    const could = was !== undefined && hasAdminAccess(was);
    if (could !== hasAdminAccess(is)) (could ? others : admins).push(title);
    if (lacksDns(is) && (was === undefined || !lacksDns(was))) nameless.push(title);
    const { DeviceExpiration: at, DeleteExpiration } = is;
    if (at > 0 && (at !== was?.DeviceExpiration || DeleteExpiration !== was.DeleteExpiration)) {
      ends.push(`${title} is ${DeleteExpiration ? "deleted" : "blocked"} at ${timeOf(at)}`);
    }
  }
  const { held, absent } = policyOf("noapi").text;
  return [
    ...(admins.length > 0 ? [`${nameList(admins)} ${absent}`] : []),
    ...(others.length > 0 ? [`${nameList(others)} ${held}`] : []),
    ...(nameless.length > 0
      ? [`${nameList(nameless)} has Internet access without DNS, and finds no site by its name`]
      : []),
    ...ends,
    ...twins(named, after.devices),
  ];
}

/** True for a device with Internet access that no resolver answers: neither the router nor its own. */
function lacksDns({ Policies, DNSCustom, DeviceDisabled }: Device): boolean {
  return !DeviceDisabled && Policies.includes("wan") && !Policies.includes("dns") &&
    DNSCustom === "";
}

/**
 * Devices that get a name which looks like that of another one, or that named themselves so and are
 * approved.
 */
function twins(
  named: readonly (readonly [identity: string, name: string])[],
  devices: Config["devices"],
): readonly string[] {
  if (named.length === 0) return [];
  const shapes = Map.groupBy(Object.entries(devices), ([, { Name }]) => skeleton(Name));
  return named.flatMap(([identity, name]) => {
    const twin = shapes.get(skeleton(name))?.find(([other]) => other !== identity);
    return twin === undefined
      ? []
      : [`${name} (${identity}) has a name that looks like that of ${twin[1].Name} (${twin[0]})`];
  });
}

/** `2026-11-30 10:00 UTC`. */
function timeOf(seconds: number): string {
  return `${new Date(seconds * 1000).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
