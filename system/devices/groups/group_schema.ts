import * as z from "zod";
import { line } from "../../core/net/grammar.ts";
import { Schedule } from "../../core/time/schedule.ts";
import { POLICY_NAMES } from "../policies.ts";
import { Label } from "../schema.ts";

/** Times of the week that one group may have. */
export const MAX_TIMES = 14;

/** Devices of one enabled group reach each other on all ports, unless {@link opensBetween} says otherwise. */
export const Group = z.object({
  Name: Label,
  Disabled: z.boolean(),
  GroupTags: z.array(Label),
  /** Non-empty: a service group, which opens nothing between devices. */
  ServiceDestinations: z.array(z.string()),
  Title: line(64).optional().describe("The name as people write it, where that differs by case"),
  Isolated: z.boolean().optional().describe("True where members do not reach each other"),
  Policies: z.array(z.enum(POLICY_NAMES)).optional().describe(
    "What a device gets when it becomes a member by `Members`",
  ),
  Schedule: z.array(Schedule).max(MAX_TIMES).optional().describe(
    "When members may use the access that `Policies` names; absent for always",
  ),
}).meta({ id: "Group" });
export type Group = z.output<typeof Group>;

/** A group as answers show it. */
export const GroupAnswer = z.object({
  ...Group.shape,
  ClosedUntil: z.int().optional().describe(
    "While its schedule withholds the access of its members: when that returns, unix seconds",
  ),
}).meta({ id: "GroupView" });
export type GroupAnswer = z.output<typeof GroupAnswer>;

/** True where a group lets its members reach each other. */
export function opensBetween(group: Group): boolean {
  return !group.Disabled && !group.Isolated && group.ServiceDestinations.length === 0;
}
