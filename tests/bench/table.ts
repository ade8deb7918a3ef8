/** One measurement beside its baseline of the same run. */
export interface Row {
  readonly what: string;
  readonly ours: number;
  readonly baseline: number;
  readonly unit: "ms" | "/s" | "MB" | "B" | "ns" | "points" | "requests";
  /** What the baseline is. */
  readonly beside: string;
  /** The ratio aimed at: at most, or with `/s` and `points` at least. Left out where none is set. */
  readonly aim?: number;
}

/** The middle of several values. Throws without any. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted[Math.floor(sorted.length / 2)];
  if (middle === undefined) throw new Error("Nothing was measured");
  return middle;
}

/** The value that a share of all are at most. Throws without any. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const value = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
  if (value === undefined) throw new Error("Nothing was measured");
  return value;
}

/** The rows as a table for people. */
export function table(rows: readonly Row[]): string {
  const lines = [
    ["what", "ours", "baseline", "ratio", "aim", "beside"],
    ...rows.map((row) => [
      row.what,
      amount(row.ours, row.unit),
      amount(row.baseline, row.unit),
      (row.ours / row.baseline).toFixed(2),
      aimOf(row),
      row.beside,
    ]),
  ];
  return aligned(lines, [1, 2, 3, 4]);
}

/** Lines of cells in columns, of which some are numbers and stand at their right. */
export function aligned(lines: readonly (readonly string[])[], right: readonly number[]): string {
  const widths = lines[0]!.map((_, column) =>
    Math.max(...lines.map((line) => line[column]!.length))
  );
  return lines.map((line) =>
    line.map((cell, column) =>
      right.includes(column) ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!)
    ).join("  ").trimEnd()
  ).join("\n");
}

function amount(value: number, unit: Row["unit"]): string {
  if (unit === "/s") return `${Math.round(value)}/s`;
  return `${value.toFixed(value < 100 ? 1 : 0)} ${unit}`;
}

function aimOf({ aim, ours, baseline, unit }: Row): string {
  if (aim === undefined) return "";
  const ratio = ours / baseline;
  const isMore = unit === "/s" || unit === "points";
  const met = isMore ? ratio >= aim : ratio <= aim;
  const rounded = Math.round(aim * 100) / 100;
  return `${isMore ? "≥" : "≤"} ${rounded} ${met ? "met" : "MISSED"}`;
}
