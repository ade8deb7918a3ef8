import * as z from "zod";

/** Maximum, and default, number of entries of a response. */
const MAX_ENTRIES = 2000;

/** A number of microseconds since 1970 as a query parameter. */
const Microseconds = z.string().regex(/^\d{1,16}$/, {
  error: "Write microseconds since 1970, as __REALTIME_TIMESTAMP of an entry",
}).transform(Number);

/** Severity of an entry. */
export const LogLevel = z.enum(["debug", "info", "warn", "error"]);
export type LogLevel = z.output<typeof LogLevel>;

const LIMIT = `Use a number of entries from 1 to ${MAX_ENTRIES}`;

/** Query for log entries. `text` is plain text, not a regular expression. */
export const LogQuery = z.object({
  limit: z.string().regex(/^[1-9]\d{0,3}$/, { error: LIMIT }).transform(Number)
    .refine((limit) => limit <= MAX_ENTRIES, { error: LIMIT })
    .default(MAX_ENTRIES),
  /** Only entries before this time: that of the last one, for the next page. */
  before: Microseconds.optional(),
  /** Only entries after this time: that of the first one, for newer entries. */
  since: Microseconds.optional(),
  /** Name of the container, unit or process. */
  process: z.string().max(128).optional(),
  /** Entries of this level and more severe ones. */
  level: LogLevel.optional(),
  /** A piece of the message, in any case. */
  text: z.string().max(200).optional(),
}, { error: "Ask for a number of entries" });
export type LogQuery = z.output<typeof LogQuery>;

/** One line of a log, with the names of the journal's fields. */
export const LogEntry = z.object({
  /** The container, else the unit or the process of Sluice. */
  CONTAINER_NAME: z.string(),
  MESSAGE: z.string(),
  /** Microseconds since 1970. */
  __REALTIME_TIMESTAMP: z.int(),
  /** As syslog(3) numbers it: 3 an error, 4 a warning, 6 information, 7 a detail. */
  PRIORITY: z.string(),
  /** How it came: `journal`, `kernel`, `stdout`, `syslog`, or `sluice` for our own files. */
  _TRANSPORT: z.string(),
}).meta({ id: "LogLine" });
export type LogEntry = z.output<typeof LogEntry>;
