/** Values over time, in order; null where none was measured. */
export type Values = readonly (number | null)[];

/**
 * Points of a line in a box, `M0 10L5 3…`, time from left to right, larger values higher up. A value
 * that was not measured is a gap.
 */
export function linePath(
  values: Values,
  box: { readonly width: number; readonly height: number; readonly most: number },
): string {
  return runsOf(values).map((run) =>
    run.map(({ at, value }, index) =>
      `${index === 0 ? "M" : "L"}${xOf(at, values.length, box.width)} ${yOf(value, box)}`
    ).join("")
  ).join("");
}

/** The ground below a line, down to the foot of the box. */
export function areaPath(
  values: Values,
  box: { readonly width: number; readonly height: number; readonly most: number },
): string {
  return runsOf(values).map((run) => {
    const x = (at: number) => xOf(at, values.length, box.width);
    const first = run[0]?.at ?? 0;
    const last = run.at(-1)?.at ?? 0;
    const line = run.map(({ at, value }) => `L${x(at)} ${yOf(value, box)}`).join("");
    return `M${x(first)} ${box.height}${line}L${x(last)} ${box.height}Z`;
  }).join("");
}

interface Point {
  readonly at: number;
  readonly value: number;
}

/** Stretches without a gap. */
function runsOf(values: Values): readonly (readonly Point[])[] {
  const runs: Point[][] = [];
  let open: Point[] | null = null;
  values.forEach((value, at) => {
    if (value === null || Number.isNaN(value)) open = null;
    else if (open === null) runs.push(open = [{ at, value }]);
    else open.push({ at, value });
  });
  return runs;
}

/** Where a moment is in a box of this width. */
export function xOf(at: number, length: number, width: number): number {
  return length > 1 ? round(at / (length - 1) * width) : 0;
}

function yOf(
  value: number,
  { height, most }: { readonly height: number; readonly most: number },
): number {
  const whole = most > 0 ? most : 1;
  return round(height - (Math.max(0, Math.min(whole, value)) / whole) * height);
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/** A round number at or above the largest value: 1, 2 or 5 times a power of ten. */
export function roundMost(values: Values): number {
  const most = values.reduce<number>((best, value) => Math.max(best, value ?? 0), 0);
  if (!(most > 0) || !Number.isFinite(most)) return 1;
  const power = 10 ** Math.floor(Math.log10(most));
  return ([1, 2, 5, 10].find((factor) => factor * power >= most) ?? 10) * power;
}

/** Place of the largest value; -1 for none. */
export function peakAt(values: Values): number {
  return values.reduce<number>(
    (best, value, at) => value !== null && value > (values[best] ?? -Infinity) ? at : best,
    -1,
  );
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const STEPS = [
  ...[1, 5, 15, 30].map((count) => count * MINUTE),
  ...[1, 3, 6, 12].map((count) => count * HOUR),
  ...[1, 2, 7, 14, 30, 90, 365].map((count) => count * DAY),
];

/** Round moments between two, at most so many, by the clock that is so many minutes behind UTC. */
export function timeTicks(
  from: number,
  to: number,
  { most, offset }: { readonly most: number; readonly offset: number },
): { readonly moments: readonly number[]; readonly days: boolean } {
  const step = STEPS.find((one) => (to - from) / one <= most) ?? (to - from) / most;
  const shift = offset * MINUTE;
  const moments: number[] = [];
  if (!(to > from)) return { moments, days: false };
  const first = Math.ceil((from - shift) / step) * step + shift;
  for (let at = first; at <= to && moments.length < most + 1; at += step) moments.push(at);
  return { moments, days: step >= DAY };
}

/** Which moment a key leads to; null for keys that lead nowhere. */
export function momentTarget(key: string, at: number, length: number): number | null {
  const page = Math.max(1, Math.round(length / 10));
  const steps: Readonly<Record<string, number>> = {
    ArrowLeft: at - 1,
    ArrowDown: at - 1,
    ArrowRight: at + 1,
    ArrowUp: at + 1,
    PageDown: at - page,
    PageUp: at + page,
    Home: 0,
    End: length - 1,
  };
  const to = steps[key];
  return to === undefined ? null : Math.max(0, Math.min(length - 1, to));
}

/** What one line says; at most six of them have a colour of their own. */
export interface Series {
  readonly word: string;
  /** A value for each moment; null where none was measured. */
  readonly values: readonly (number | null)[];
  /** It goes down from the zero line, as what is sent does below what is received. */
  readonly below?: boolean;
}

/** The sum of all series at each of so many moments. */
export function sumsOf(series: readonly Series[], count: number): readonly number[] {
  return Array.from(
    { length: count },
    (_, at) => series.reduce((sum, { values }) => sum + (values[at] ?? 0), 0),
  );
}

/** A value with its unit, or that there is none. */
export function valueText(
  value: number | null | undefined,
  format: (value: number) => string,
): string {
  return value === null || value === undefined ? "unknown" : format(value);
}
