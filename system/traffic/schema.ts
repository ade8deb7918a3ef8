import { z } from "zod";
import { COUNTER_SETS } from "../firewall/accounting.ts";

const Count = z.int().min(0);

/** Name of a set that counts. */
export const CounterName = z.enum(COUNTER_SETS, {
  error: `Use one of ${COUNTER_SETS.join(", ")}`,
});

/** What was counted for an address. */
export const CounterEntry = z.object({
  IP: z.string().describe("Address of the device"),
  Packets: Count,
  Bytes: Count,
}).meta({ id: "TrafficCounter" });
export type CounterEntry = z.output<typeof CounterEntry>;

/** Bytes that an address received (`In`) and sent (`Out`). */
export const AddressTraffic = z.object({
  LanIn: Count,
  LanOut: Count,
  WanIn: Count,
  WanOut: Count,
}).meta({ id: "AddressTraffic" });
export type AddressTraffic = z.output<typeof AddressTraffic>;

/** Traffic by address. */
export const TrafficSnapshot = z.record(z.string(), AddressTraffic);
export type TrafficSnapshot = z.output<typeof TrafficSnapshot>;
