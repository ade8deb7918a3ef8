import * as z from "zod";
import { type LogSource, readLogs } from "../../system/machine/logs/read.ts";
import { LogEntry, LogQuery } from "../../system/machine/logs/schema.ts";
import { type Route, route } from "../http/route.ts";

/** Dependencies of {@link logsRoutes}. */
export interface LogsDeps {
  /** The sources of log entries. */
  readonly sources: () => Promise<readonly LogSource[]>;
}

/** Logs of the router's processes and its system. */
export function logsRoutes({ sources }: LogsDeps): Route[] {
  return [
    route({
      method: "GET",
      path: "/logs",
      tag: "Logs",
      access: "auth",
      summary: "Log entries, newest first",
      description:
        "Entries of Sluice's processes and of the system journal. Filter by `process`, `level` " +
        "(this level and above) and `text`; page by `before`, in microseconds.",
      examples: {
        parameters: {
          limit: "100",
          before: "1767225600000000",
          since: "1767139200000000",
          process: "dnsd",
          level: "warn",
          text: "upstream",
        },
      },
      query: LogQuery,
      response: z.array(LogEntry),
      errors: [502, 503],
    }, async ({ query }) => await readLogs(await sources(), query)),
  ];
}
