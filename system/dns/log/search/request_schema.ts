import { z } from "zod";
import { PrivateHost, VERDICTS } from "../schema.ts";

/** Entries that one answer holds at most. */
export const MOST_TOLD = 500;
/** Milliseconds that an answer is waited for at most. */
const MOST_WAIT = 25_000;

/** A whole number in a query. */
function whole(most: number): z.ZodType<number> {
  return z.string().regex(/^\d{1,16}$/, { error: "Write a whole number" })
    .transform(Number)
    .refine((value) => value <= most, { error: `Write a number of at most ${most}` });
}

/** `""` or the address of one device. */
const Client = z.union([z.literal(""), PrivateHost], {
  error: "Write an IP address, such as 192.168.2.10",
});

/** Which part of the log is asked for. */
export const LogAsk = z.object({
  client: Client.default(""),
  /** A part of the name. */
  name: z.string().trim().toLowerCase().max(255).default(""),
  /** Words of {@link VERDICTS} joined by commas. */
  verdict: z.string().max(200).default("").transform((text, context) => {
    const words = text.split(",").filter((word) => word !== "");
    const known = VERDICTS.filter((verdict) => words.includes(verdict));
    if (known.length === new Set(words).size) return known;
    context.addIssue({ code: "custom", message: `Write of ${VERDICTS.join(", ")}` });
    return z.NEVER;
  }),
  after: whole(Number.MAX_SAFE_INTEGER).optional(),
  limit: whole(MOST_TOLD).optional(),
});
export type LogAsk = z.output<typeof LogAsk>;

/** Of whom, and since when (unix milliseconds), queries are counted. */
export const StatusAsk = z.object({
  client: Client.default(""),
  since: whole(Number.MAX_SAFE_INTEGER).optional(),
});

/** After which entry events are asked for, and how long they are waited for, in milliseconds. */
export const EventsAsk = z.object({
  after: whole(Number.MAX_SAFE_INTEGER).optional(),
  wait: whole(MOST_WAIT).optional(),
  most: whole(MOST_TOLD).optional(),
});

/** One address in a path. */
export const ClientPath = z.object({ ip: PrivateHost });

/** Devices whose log is kept. */
export const KeepAsk = z.object({ identities: z.array(z.string().max(64)).max(100_000) });

/** The events that {@link EventsAsk} is answered with. */
export const EventsTold = z.object({
  items: z.array(z.object({ topic: z.string(), value: z.unknown() })),
  last: z.number(),
  skipped: z.number(),
});
export type EventsTold = z.output<typeof EventsTold>;

/** How much is kept, and what became of the queries of a time. */
export const LogState = z.object({
  /** Bytes of the file. */
  bytes: z.int(),
  /** Unix milliseconds of the oldest entry; null for none. */
  oldest: z.int().nullable(),
  /** Queries by what became of them. */
  counts: z.record(z.string(), z.int()),
  /** Queries that were not written down since the resolver started. */
  dropped: z.int(),
});
