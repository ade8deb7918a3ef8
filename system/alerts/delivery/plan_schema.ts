import * as z from "zod";
import { AlertChannel } from "../channels/schema.ts";
import { ChannelMessage } from "./message.ts";

/** A message that notifyd is to send now. */
export const DeliveryJob = z.object({
  /** Of this attempt. */
  id: z.string(),
  channel: AlertChannel,
  message: ChannelMessage,
});
export type DeliveryJob = z.output<typeof DeliveryJob>;

/** What notifyd works from. */
export const DeliveryPlan = z.object({
  tag: z.string(),
  decided: z.boolean(),
  jobs: z.array(DeliveryJob),
  /** What belongs to this router. */
  own: z.object({ addresses: z.array(z.string()), networks: z.array(z.string()) }),
  /** Where the pages are, for links; empty where that is unknown. */
  origin: z.string(),
  /** The name of this router. */
  router: z.string(),
  /** Private key of web push (RFC 8292), 32 bytes in base64url. */
  pushKey: z.string(),
}).meta({ id: "DeliveryPlan" });
export type DeliveryPlan = z.output<typeof DeliveryPlan>;

/** What came of a job. */
export const DeliveryReport = z.object({
  id: z.string().max(200),
  kind: z.enum(["sent", "refused", "busy", "away"]),
  message: z.string().max(400).describe("What the receiver responded, in its own words"),
}).meta({ id: "DeliveryReport" });
export type DeliveryReport = z.output<typeof DeliveryReport>;
