import type { Usage } from "./process_memory.ts";

/** What a process may grow by after a third of the time, as a part of it or in MB, and count as flat. */
const FLAT_PART = 0.03, FLAT_MB = 6;

/** What stands at each part of a sorted list: the smallest value that so many are not above. */
function at(sorted: readonly number[], part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? NaN;
}

/** A line for each kind of request: how many, and milliseconds to the response. */
export function timesTable(times: Readonly<Record<string, readonly number[]>>): string {
  const lines = Object.entries(times).map(([what, taken]) => {
    const sorted = taken.toSorted((a, b) => a - b);
    const parts = [0.5, 0.95, 0.99, 1].map((part) => `${at(sorted, part).toFixed(1)} ms`);
    return [what, String(taken.length), ...parts];
  });
  return columns([["what", "count", "p50", "p95", "p99", "max"], ...lines]);
}

/** A line for each process: its memory minute by minute, and whether that is flat. */
export function memoryTable(
  samples: readonly (readonly Usage[])[],
  perMinute: number,
): string {
  const minutes = samples.filter((_, i) => i % perMinute === 0);
  const lines = (samples[0] ?? []).flatMap(({ name, pid }) => {
    const of = (list: typeof samples): readonly Usage[] =>
      list.flatMap((all) => all.filter((one) => one.pid === pid));
    const all = of(samples);
    if (all.length < samples.length) return [[name, "", "it did not run all the time"]];
    const row = (kind: "pss" | "rss") => [
      ...[name, kind, ...of(minutes).map((one) => one[kind].toFixed(0))],
      Math.max(...all.map((one) => one[kind])).toFixed(0),
      verdict(all.map((one) => one[kind])),
    ];
    const more = (kind: "seconds" | "waited"): string =>
      `${(all.at(-1)![kind] - all[0]![kind]).toFixed(0)} s`;
    return [[...row("pss"), more("seconds"), more("waited")], row("rss")];
  });
  const heads = minutes.map((_, i) => `${i}′`);
  return columns([
    ["MB of", "", ...heads, "peak", "last third", "processor", "waited for it"],
    ...lines,
  ]);
}

/** Compares the median of the last third with that of the third before. */
function verdict(values: readonly number[]): string {
  const third = Math.floor(values.length / 3);
  if (third === 0) return "";
  const middle = (list: readonly number[]): number => at(list.toSorted((a, b) => a - b), 0.5);
  const before = middle(values.slice(-2 * third, -third)), last = middle(values.slice(-third));
  const more = last - before;
  const isFlat = more <= FLAT_MB || more <= before * FLAT_PART;
  return `${more < 0 ? "" : "+"}${more.toFixed(1)} ${isFlat ? "flat" : "GROWS"}`;
}

function columns(lines: readonly (readonly string[])[]): string {
  const count = Math.max(...lines.map((line) => line.length));
  const widths = Array.from(
    { length: count },
    (_, column) => Math.max(...lines.map((line) => (line[column] ?? "").length)),
  );
  return lines.map((line) =>
    line.map((cell, column) =>
      column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)
    ).join("  ").trimEnd()
  ).join("\n");
}
