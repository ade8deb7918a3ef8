import { z } from "zod";
import { Label } from "../schema.ts";

/** Devices of one enabled group reach each other on all ports. */
export const Group = z.object({
  Name: Label,
  Disabled: z.boolean(),
  GroupTags: z.array(Label),
  /** Non-empty: a service group, which opens nothing between devices. */
  ServiceDestinations: z.array(z.string()),
}).meta({ id: "Group" });
export type Group = z.output<typeof Group>;
