import * as z from "zod";
import type { Config } from "../../system/config.ts";
import type { ChangeEngine } from "../../system/core/engine/change.ts";
import { deleteGroup, upsertGroup } from "../../system/devices/groups/group_rules.ts";
import { Group } from "../../system/devices/groups/group_schema.ts";
import { GroupName, GroupUpdate } from "../../system/devices/wire.ts";
import { type Route, route } from "../http/route.ts";

/** Dependencies of {@link groupsRoutes}. */
export interface GroupsDeps {
  readonly engine: Pick<ChangeEngine<Config>, "config">;
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
        "each other on all ports.",
      response: z.array(Group),
    }, () => engine.config.groups),
    route({
      method: "PUT",
      ...common,
      summary: "Create or update a group",
      description:
        "Replaces the group with this name, or creates it. A disabled group keeps its members but " +
        "allows nothing. What is left out stays unchanged, but for `Disabled` and `GroupTags`. " +
        "`Members` sets its members in the same change.",
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

function updateSummary(
  groups: readonly Group[],
  { Name, Title, Disabled, Members }: GroupUpdate,
): string {
  const before = groups.find((group) => group.Name === Name);
  if (before === undefined) return `Created group ${Title ?? Name}`;
  if (Members !== undefined) return `Changed the members of group ${Name}`;
  if (Disabled === undefined || Disabled === before.Disabled) return `Changed group ${Name}`;
  return `${Disabled ? "Disabled" : "Enabled"} group ${Name}`;
}
