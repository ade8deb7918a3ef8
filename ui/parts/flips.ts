import type { Devices, ReachFlip } from "../wire.ts";
import { count, endName } from "../words.ts";

/** One row of who gains or loses access. */
export interface FlipRow {
  readonly who: string;
  readonly what: string;
  readonly because: string;
}

const FOLD_OVER = 8;

/** Rows of flips: both ways of a pair are one, and long lists fold to one row per end. */
export function flipRows(flips: readonly ReachFlip[], devices: Devices): readonly FlipRow[] {
  const name = (end: string) => endName(end, devices);
  const what = (text: string) => text === "all" ? "everything" : text;
  const left = [...flips];
  const rows: FlipRow[] = [];
  while (left.length > 0) {
    const flip = left.shift() as ReachFlip;
    const back = left.findIndex((other) =>
      other.from === flip.to && other.to === flip.from && other.what === flip.what
    );
    if (back >= 0) left.splice(back, 1);
    rows.push({
      who: back >= 0
        ? `${name(flip.from)} with ${name(flip.to)}`
        : `${name(flip.from)} to ${name(flip.to)}`,
      what: back >= 0 ? `${what(flip.what)}, both ways` : what(flip.what),
      because: flip.because,
    });
  }
  return rows.length <= FOLD_OVER ? rows : fold(flips, devices);
}

/** One row per end that occurs most: `Mira’s laptop to TV, Printer and 12 more`. */
function fold(flips: readonly ReachFlip[], devices: Devices): readonly FlipRow[] {
  const distinct = (side: "from" | "to") => new Set(flips.map((flip) => flip[side])).size;
  const key = distinct("from") <= distinct("to") ? "from" : "to";
  const other = key === "from" ? "to" : "from";
  const buckets = Map.groupBy(flips, (flip) => `${flip[key]}\n${flip.what}\n${flip.because}`);
  return [...buckets.values()].map((bucket) => {
    const [first] = bucket as [ReachFlip];
    const names = bucket.map((flip) => endName(flip[other], devices));
    const shown = names.slice(0, 2).join(", ");
    const many = names.length > 2 ? `${shown} and ${names.length - 2} more` : shown;
    const end = endName(first[key], devices);
    return {
      who: key === "from" ? `${end} to ${many}` : `${many} to ${end}`,
      what: first.what === "all" ? "everything" : first.what,
      because: first.because,
    };
  });
}

/** `no one`, or how many answers flip. */
export function flipCount(flips: readonly ReachFlip[], rows: readonly FlipRow[]): string {
  if (flips.length === 0) return "no one";
  return rows.length < flips.length ? count(flips.length, "way") : count(rows.length, "way");
}
