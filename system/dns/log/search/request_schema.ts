import * as z from "zod";
import { PrivateHost, VERDICTS } from "../schema.ts";

/** Maximum number of entries in one response. */
const MAX_ENTRIES = 500;
const MAX_WAIT_MS = 25_000;

/** A whole number in a query string. */
function whole(max: number): z.ZodType<number> {
  return z.string().regex(/^\d{1,16}$/, { error: "Enter a whole number" })
    .transform(Number)
    .refine((value) => value <= max, { error: `Enter a number of at most ${max}` });
}

/** `""` or the address of one device. */
const Client = z.union([z.literal(""), PrivateHost], {
  error: "Enter an IP address such as 192.168.2.10",
});

/** Criteria of a search in the log. */
export const EntryQuery = z.object({
  client: Client.default(""),
  /** A part of the query name. */
  name: z.string().trim().toLowerCase().max(255).default(""),
  /** Comma-separated words of {@link VERDICTS}. */
  verdict: z.string().max(200).default("").transform((text, context) => {
    const words = text.split(",").filter((word) => word !== "");
    const known = VERDICTS.filter((verdict) => words.includes(verdict));
    if (known.length === new Set(words).size) return known;
    context.addIssue({ code: "custom", message: `Enter any of ${VERDICTS.join(", ")}` });
    return z.NEVER;
  }),
  after: whole(Number.MAX_SAFE_INTEGER).optional(),
  limit: whole(MAX_ENTRIES).optional(),
});
export type EntryQuery = z.output<typeof EntryQuery>;

/** Maximum number of periods that queries are counted by. */
const MAX_PERIODS = 200;

/** The client, the time (unix milliseconds) that queries are counted from, and in how many equal periods. */
export const StatusQuery = z.object({
  client: Client.default(""),
  since: whole(Number.MAX_SAFE_INTEGER).optional(),
  periods: whole(MAX_PERIODS).optional(),
});

/** The entry to start after, the milliseconds to wait for an event, and the maximum number of entries. */
export const EventsQuery = z.object({
  after: whole(Number.MAX_SAFE_INTEGER).optional(),
  wait: whole(MAX_WAIT_MS).optional(),
  max: whole(MAX_ENTRIES).optional(),
});

export const ClientPath = z.object({ ip: PrivateHost });

/** Devices whose queries are retained. */
export const RetainBody = z.object({ identities: z.array(z.string().max(64)).max(100_000) });

/** The response to {@link EventsQuery}. */
export const EventBatch = z.object({
  items: z.array(z.object({ topic: z.string(), value: z.unknown() })).readonly(),
  last: z.number(),
  skipped: z.number(),
});
export type EventBatch = z.output<typeof EventBatch>;

/** Size of the log, and the queries since a time by verdict. */
export const QueryLogStatus = z.object({
  /** Bytes of the file. */
  bytes: z.int(),
  /** Unix milliseconds of the oldest entry; null for none. */
  oldest: z.int().nullable(),
  /** Number of queries by verdict. */
  counts: z.record(z.string(), z.int()),
  /** The same by period, oldest first; empty unless `periods` was sent. */
  series: z.array(z.object({
    /** Unix milliseconds of its begin. */
    time: z.int(),
    counts: z.record(z.string(), z.int()),
  })),
  /** Queries that could not be logged since the resolver started. */
  dropped: z.int(),
}).meta({ id: "QueryLogStatus" });
export type QueryLogStatus = z.output<typeof QueryLogStatus>;
