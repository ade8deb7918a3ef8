import { call } from "../../../api/client.ts";
import { save } from "../../../api/download.ts";
import { csvText } from "../../../text/csv.ts";
import type { Devices } from "../../../wire.ts";
import { bare, clientOf, outcome, queryName, reason, typeText, whoOf } from "../text.ts";
import type { LogEntry, LogPart } from "../wire.ts";
import { askOf, type LogFilter } from "./filter.ts";

/** Queries that a file may have, and those of one request. */
const MOST = 20_000, PART = 500;

const HEADINGS = [
  ...[
    "time",
    "device",
    "address",
    "domain",
    "type",
    "result",
    "reason",
    "answer",
    "upstream",
    "ms",
  ],
];

/** The cells of a query in a table file. */
export function exportRow(entry: LogEntry, devices: Devices | null): readonly string[] {
  return [
    entry.Timestamp,
    whoOf(entry, devices),
    clientOf(entry),
    queryName(entry),
    typeText(entry.Q[0]?.Qtype ?? 0),
    outcome(entry)[0],
    reason(entry),
    bare(entry.FirstAnswer),
    entry.upstream,
    String(entry.ms),
  ];
}

/**
 * Has the browser keep the queries that a filter shows, newest first, as a CSV file. Returns how many
 * these are, and whether there were more. Throws ApiProblem.
 */
export async function exportLog(
  filter: LogFilter,
  devices: Devices | null,
): Promise<{ readonly count: number; readonly more: boolean }> {
  const rows: (readonly string[])[] = [];
  let next: number | null = null;
  do {
    const after: Record<string, string> = next === null ? {} : { after: String(next) };
    const query = { ...askOf(filter), limit: String(PART), ...after };
    const { body } = await call<LogPart>({ path: "/plugins/dns/log/entries", query });
    rows.push(...body.items.map((entry) => exportRow(entry, devices)));
    next = body.next;
  } while (next !== null && rows.length < MOST);
  save(new Blob([csvText([HEADINGS, ...rows])], { type: "text/csv" }), "dns-queries.csv");
  return { count: rows.length, more: next !== null };
}
