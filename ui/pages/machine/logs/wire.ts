/** One line of a log. */
export interface LogEntry {
  readonly CONTAINER_NAME: string;
  readonly MESSAGE: string;
  /** Microseconds since 1970. */
  readonly __REALTIME_TIMESTAMP: number;
  /** As syslog(3) numbers it. */
  readonly PRIORITY: string;
}

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
