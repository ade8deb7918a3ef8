import * as z from "zod";
import { ChannelMessage } from "./message.ts";

/** A message that waits for a channel. */
export const OutboxEntry = z.object({
  channel: z.string(),
  message: ChannelMessage,
  /** Unix milliseconds: when it was queued, and from when on it may be sent. */
  queued: z.int(),
  due: z.int(),
  /** Attempts, and those of them that the receiver responded to. */
  tries: z.int(),
  responses: z.int(),
});
export type OutboxEntry = z.output<typeof OutboxEntry>;

/** What is known of a channel's deliveries. Times are unix milliseconds. */
const ChannelRecord = z.object({
  /** When messages of the last hour were queued. */
  recent: z.array(z.int()),
  /** What was sent a moment ago, until when the same is only counted, and how often it was. */
  seen: z.array(z.object({ key: z.string(), until: z.int(), count: z.int() })),
  /** Failures in a row, and when the next attempt may be. */
  failures: z.int(),
  resume: z.int(),
  at: z.int(),
  ok: z.boolean(),
  message: z.string(),
  sentAt: z.int(),
  repeated: z.int(),
  held: z.int(),
  lost: z.int(),
});
export type ChannelRecord = z.output<typeof ChannelRecord>;

/** Messages that wait, the oldest first, and what is known of each channel. */
export const Outbox = z.object({
  entries: z.array(OutboxEntry),
  channels: z.record(z.string(), ChannelRecord),
});
export type Outbox = z.output<typeof Outbox>;

export const EMPTY_OUTBOX: Outbox = { entries: [], channels: {} };

export const NEW_CHANNEL: ChannelRecord = {
  ...{ recent: [], seen: [], failures: 0, resume: 0 },
  ...{ at: 0, ok: false, message: "", sentAt: 0 },
  ...{ repeated: 0, held: 0, lost: 0 },
};
