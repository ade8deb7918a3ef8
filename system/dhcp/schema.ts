import { z } from "zod";

/** The address pools of devices and the time for which an address is leased. */
export const SubnetConfig = z.object({
  TinyNets: z.array(z.string()),
  LeaseTime: z.string(),
});
export type SubnetConfig = z.output<typeof SubnetConfig>;
