import type { ProblemItem } from "../../api/problem.ts";
import type { Share, Uplink } from "./wire.ts";

/** An uplink in the form: its weight as it is typed. */
export interface OrderRow {
  readonly name: string;
  readonly weight: string;
}

/** The uplinks as they are taken now. */
export function rowsOf(uplinks: readonly Uplink[]): readonly OrderRow[] {
  return uplinks.map(({ Iface, Weight }) => ({ name: Iface, weight: String(Weight) }));
}

/** The list with one place moved up (-1) or down (1); the same where it cannot. */
export function moved(rows: readonly OrderRow[], at: number, by: -1 | 1): readonly OrderRow[] {
  const one = rows[at], other = rows[at + by];
  if (one === undefined || other === undefined) return rows;
  return rows.map((row) => row === one ? other : row === other ? one : row);
}

/** What is wrong with the weights, each at its place. */
export function faults(rows: readonly OrderRow[]): readonly ProblemItem[] {
  return rows.flatMap(({ weight }, at) =>
    /^\d{1,3}$/.test(weight.trim()) && Number(weight) <= 100 ? [] : [{
      pointer: `/Uplinks/${at}/Weight`,
      message: "Enter a whole number from 0 to 100",
    }]
  );
}

/** What is sent: the places, then those that were listed and are no uplinks at present. */
export function sharesOf(rows: readonly OrderRow[], before: readonly Share[]): readonly Share[] {
  const shown = new Set(rows.map(({ name }) => name));
  return [
    ...rows.map(({ name, weight }) => ({ Iface: name, Weight: Number(weight) })),
    ...before.filter(({ Iface }) => !shown.has(Iface)),
  ];
}
