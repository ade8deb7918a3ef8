import type { UplinkRecord } from "../status_schema.ts";

/** What is kept of uplinks, each kind in rows of its own. */
export type HistoryKind = "outages" | "minutes" | "hours" | "speed";

/** One entry of the history of uplinks, as it is stored. */
export interface HistoryRow {
  readonly kind: HistoryKind;
  readonly iface: string;
  /** Unix seconds: start of an outage, time of a sample or a test. */
  readonly at: number;
  /** The entry as JSON. */
  readonly data: string;
}

/** Keeps the history of uplinks. */
export interface HistoryKeeper {
  /** The record with whatever is in it; null for none. Rejects where it cannot be read now. */
  read(): Promise<unknown>;
  /** Writes rows in the place of those of the same kind, uplink and time. */
  write(rows: readonly HistoryRow[]): Promise<void>;
}

/** The row of an outage. */
export function outageRow(outage: UplinkRecord["outages"][number]): HistoryRow {
  return { kind: "outages", iface: outage.Iface, at: outage.Start, data: JSON.stringify(outage) };
}

/** The row of a speed test. */
export function speedRow(test: UplinkRecord["speed"][number]): HistoryRow {
  return { kind: "speed", iface: test.Iface, at: test.Time, data: JSON.stringify(test) };
}

/** The row of a minute or hour of an uplink. */
export function sampleRow(
  kind: "minutes" | "hours",
  iface: string,
  sample: UplinkRecord["minutes"][string][number],
): HistoryRow {
  return { kind, iface, at: sample.Time, data: JSON.stringify(sample) };
}

/** All rows of a record. */
export function rowsOf({ outages, minutes, hours, speed }: UplinkRecord): readonly HistoryRow[] {
  const samples = (kind: "minutes" | "hours", lists: UplinkRecord["minutes"]) =>
    Object.entries(lists).flatMap(([iface, list]) =>
      list.map((sample) => sampleRow(kind, iface, sample))
    );
  return [
    ...outages.map(outageRow),
    ...samples("minutes", minutes),
    ...samples("hours", hours),
    ...speed.map(speedRow),
  ];
}

/** The record of rows, which come in the order of their times; null for none. */
export function recordOf(rows: readonly HistoryRow[]): unknown {
  if (rows.length === 0) return null;
  const of = (kind: HistoryKind): readonly HistoryRow[] => rows.filter((row) => row.kind === kind);
  const lists = (kind: HistoryKind): unknown =>
    Object.fromEntries(
      [...Map.groupBy(of(kind), ({ iface }) => iface)]
        .map(([iface, list]) => [iface, list.map(({ data }) => JSON.parse(data))]),
    );
  return {
    outages: of("outages").map(({ data }) => JSON.parse(data)),
    minutes: lists("minutes"),
    hours: lists("hours"),
    speed: of("speed").map(({ data }) => JSON.parse(data)),
  };
}
