import * as z from "zod";
import type { Config } from "../../system/config.ts";
import type { ChangeEngine, Observations } from "../../system/core/engine/change.ts";
import { deleteGroup, upsertGroup } from "../../system/devices/groups/group_rules.ts";
import { type Group, GroupAnswer } from "../../system/devices/groups/group_schema.ts";
import { GroupName, GroupUpdate } from "../../system/devices/wire.ts";
import { type Route, route } from "../http/route.ts";

/** Dependencies of {@link groupsRoutes}. */
export interface GroupsDeps {
  readonly engine: Pick<ChangeEngine<Config>, "config" | "observed">;
}

/** Groups of devices that reach each other. */
export function groupsRoutes({ engine }: GroupsDeps): Route[] {
  const common = { path: "/groups", tag: "Groups", access: "auth", document: "groups" } as const;
  return [
    route({
      method: "GET",
      ...common,
      compresses: true,
      summary: "All groups",
      description:
        "Returns the groups in the order in which they were created. Devices of one group reach " +
        "each other on all ports. `ClosedUntil` is there while the schedule of a group withholds " +
        "the access of its members.",
      response: z.array(GroupAnswer),
    }, () => engine.config.groups.map((group) => answerOf(group, engine.observed))),
    route({
      method: "PUT",
      ...common,
      summary: "Create or update a group",
      description:
        "Replaces the group with this name, or creates it. A disabled group keeps its members but " +
        "allows nothing. What is left out stays unchanged, but for `Disabled` and `GroupTags`. " +
        "`Members` sets its members in the same change. Outside the times of `Schedule` (router " +
        "time), the permissions among `Policies` are withheld from the members.",
      body: GroupUpdate,
      errors: [404, 409, 412],
    }, (call) =>
      call.decide({
        kind: "group.update",
        summary: updateSummary(engine.config.groups, call.body),
        reduce: (config) => upsertGroup(config, call.body),
      })),
    route({
      method: "DELETE",
      ...common,
      summary: "Delete a group and remove it from every device",
      description:
        "Removes the group from the list and from all devices that are members, as one change.",
      body: GroupName,
      errors: [404, 409, 412],
    }, (call) =>
      call.decide({
        kind: "group.delete",
        summary: `Deleted group ${call.body.Name}`,
        reduce: (config) => deleteGroup(config, call.body.Name),
      })),
  ];
}

function answerOf(group: Group, { closedGroups }: Observations): GroupAnswer {
  const until = closedGroups?.[group.Name]?.until;
  return until === undefined ? group : { ...group, ClosedUntil: Math.floor(until / 1000) };
}

function updateSummary(
  groups: readonly Group[],
  { Name, Title, Disabled, Members, Schedule }: GroupUpdate,
): string {
  const before = groups.find((group) => group.Name === Name);
  if (before === undefined) return `Created group ${Title ?? Name}`;
  if (Members !== undefined) return `Changed the members of group ${Name}`;
  const { Schedule: times = [] } = before;
  if (Schedule !== undefined && JSON.stringify(Schedule) !== JSON.stringify(times)) {
    return `Changed the schedule of group ${Name}`;
  }
  if (Disabled === undefined || Disabled === before.Disabled) return `Changed group ${Name}`;
  return `${Disabled ? "Disabled" : "Enabled"} group ${Name}`;
}
