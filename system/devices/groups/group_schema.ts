import * as z from "zod";
import { line } from "../../core/net/grammar.ts";
import { POLICY_NAMES } from "../policies.ts";
import { Label } from "../schema.ts";

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
}).meta({ id: "Group" });
export type Group = z.output<typeof Group>;

/** True where a group lets its members reach each other. */
export function opensBetween(group: Group): boolean {
  return !group.Disabled && !group.Isolated && group.ServiceDestinations.length === 0;
}
