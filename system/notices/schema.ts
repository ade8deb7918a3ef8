import * as z from "zod";
import { NEW_DEVICE_ACTS } from "../alerts/new_devices.ts";

/** A notice that needs attention. Times are unix milliseconds. */
export const Notice = z.object({
  id: z.string(),
  /** `network-broken`, `config-rejected`, … */
  kind: z.string(),
  /** For people, without secrets. */
  detail: z.string(),
  data: z.record(z.string(), z.unknown()),
  at: z.number(),
  /** When it was last seen again, and how often in all. */
  lastAt: z.number(),
  count: z.number(),
  resolvedAt: z.number().nullable(),
  resolvedBy: z.string().nullable(),
  snoozedUntil: z.number().nullable().describe("It is not listed before this moment"),
}).meta({ id: "Notice" });
export type Notice = z.output<typeof Notice>;

/** Newest first; resolved ones only on request. */
export const NoticeList = z.object({ items: z.array(Notice), next: z.string().nullable() }).meta({
  id: "NoticeList",
});

/** Query for notices. */
export const NoticeQuery = z.object({
  limit: z.coerce.number().int().min(1).max(500).default(100),
  after: z.string().min(1).max(64).optional(),
  /** Resolved and snoozed ones as well. */
  all: z.enum(["true", "false"]).default("false"),
});

/** Longest time that a notice can be put off, in minutes: 30 days. */
const MAX_SNOOZE = 43_200;

/** What `PUT /notices/{id}/snooze` takes. */
export const NoticeSnooze = z.object({
  Minutes: z.int().min(0, { error: "Use minutes, or 0 to list it again" })
    .max(MAX_SNOOZE, { error: "Use at most 43200 minutes, which are 30 days" }),
}).meta({ id: "NoticeSnooze" });

export const NoticeAct = z.object({
  id: z.string().min(1).max(64),
  act: z.enum(NEW_DEVICE_ACTS),
});

export const NoticeId = z.object({ id: z.string().min(1).max(64) });
