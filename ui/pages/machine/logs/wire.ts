import type { components } from "../../../generated/api.ts";

/** A log entry; its time is in microseconds, its priority a number of syslog(3). */
export type LogEntry = Omit<components["schemas"]["LogLine"], "_TRANSPORT">;

/** Which lines are shown. */
export interface LogFilter {
  readonly text: string;
  readonly process: string;
  readonly level: string;
}

/** The query of a filter; `before` for what is older than a moment (microseconds). */
export function logQuery(
  { text, process, level }: LogFilter,
  page: { readonly limit: number; readonly before?: number },
): Readonly<Record<string, string>> {
  return {
    limit: String(page.limit),
    ...(page.before === undefined ? {} : { before: String(page.before) }),
    ...(text.trim() === "" ? {} : { text: text.trim() }),
    ...(process === "" ? {} : { process }),
    ...(level === "" ? {} : { level }),
  };
}
