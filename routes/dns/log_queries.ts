import * as z from "zod";
import { LogEntry } from "../../system/dns/log/schema.ts";
import {
  EntryQuery,
  QueryLogStatus,
  StatusQuery,
} from "../../system/dns/log/search/request_schema.ts";

/** Search of the query log: the same for people, at the api, and for the api, at dnsd. */
export const ENTRY_SEARCH = {
  examples: {
    parameters: {
      client: "192.168.2.6",
      name: "example.com",
      verdict: "block,rewrite",
      after: "1767225600000001",
      limit: "100",
    },
  },
  query: EntryQuery,
  response: z.object({ items: z.array(LogEntry), next: z.int().nullable() }),
} as const;

/** Size and counts of the query log: likewise. */
export const LOG_STATUS = {
  summary: "Size of the query log, and queries by verdict",
  description:
    "Counts queries since `since` (unix milliseconds, default 24 hours ago), of one client " +
    "where `client` is given. With `periods` also in so many equal parts of that time, such as for " +
    "a chart.",
  examples: { parameters: { client: "192.168.2.6", since: "1767225600000", periods: "48" } },
  query: StatusQuery,
  response: QueryLogStatus,
} as const;
