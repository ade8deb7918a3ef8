import type { VNode } from "preact";
import { clock, day } from "../../../text/time.ts";
import type { LogEntry } from "./wire.ts";

/** Priorities of syslog(3) up to which a line is an error, and a warning. */
const ERROR = 3, WARNING = 4;

/** Lines, newest first, with a heading for each day before today’s. */
export function LogLines({ entries }: { entries: readonly LogEntry[] }): VNode {
  const today = day(Date.now());
  let last = today;
  return (
    <ol class="log-lines">
      {entries.map((entry, index) => {
        const at = Math.floor(entry.__REALTIME_TIMESTAMP / 1000);
        const date = day(at);
        const fresh = date !== last;
        last = date;
        return (
          <Line
            key={`${entry.__REALTIME_TIMESTAMP} ${index - entries.length}`}
            entry={entry}
            at={at}
            date={fresh ? date : null}
          />
        );
      })}
    </ol>
  );
}

function Line(
  { entry, at, date }: { entry: LogEntry; at: number; date: string | null },
): VNode {
  const { CONTAINER_NAME: name, MESSAGE: message, PRIORITY: priority } = entry;
  const grade = Number(priority) <= ERROR ? "error" : Number(priority) <= WARNING ? "warning" : "";
  return (
    <li class={grade === "error" ? "bad" : undefined}>
      <time dateTime={new Date(at).toISOString()}>
        {date !== null && <span class="quiet">{date}</span>}
        {clock(at, true)}
      </time>
      <span class="quiet any" dir="auto">{name}</span>
      <p dir="auto">
        {grade !== "" && <b>{`${grade}: `}</b>}
        {message}
      </p>
    </li>
  );
}
