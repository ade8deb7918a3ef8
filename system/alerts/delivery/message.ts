import * as z from "zod";
import { ALERT_TYPES } from "../channels/schema.ts";

/** An alert on its way to a channel. */
export const ChannelMessage = z.object({
  /** The same in every attempt, so that receivers can tell a repetition. */
  id: z.uuid().meta({ examples: ["0f9c2c1e-6a51-4f0e-9d3b-5a1c7e2d4b60"] }),
  /** Unix milliseconds of the event. */
  at: z.int(),
  type: z.enum(ALERT_TYPES),
  title: z.string().max(2000),
  text: z.string().max(2000),
  /** Topic of the event. */
  topic: z.string().max(400),
  /** `RuleId` of the rule, or the kind of the notice. */
  source: z.string().max(200),
  /** Name of the rule; empty for a notice. */
  rule: z.string().max(100),
  /** How often the same came before without being sent. */
  repeated: z.int(),
  /** Notice of a new device, about which can be decided; empty for none. */
  decides: z.string().max(64),
  /** What the rule keeps of the event. */
  event: z.unknown().meta({ examples: [{ type: "user", name: "admin" }] }),
});
export type ChannelMessage = z.output<typeof ChannelMessage>;

/** What tells alerts about the same apart: the rule or kind, and what it is about. */
export interface AlertToSend {
  readonly message: ChannelMessage;
  readonly subject: string;
}

/** A type in the words of channels; older rules have others. */
export function typeOf(text: unknown): ChannelMessage["type"] {
  if (text === "danger") return "error";
  return ALERT_TYPES.find((type) => type === text) ?? "info";
}
