import type { ProblemItem } from "../../api/problem.ts";
import type { Share, Uplink } from "./wire.ts";

/** An uplink in the form: its weight as it is typed. */
export interface Place {
  readonly name: string;
  readonly weight: string;
}

/** The uplinks as they are taken now. */
export function placesOf(uplinks: readonly Uplink[]): readonly Place[] {
  return uplinks.map(({ Iface, Weight }) => ({ name: Iface, weight: String(Weight) }));
}

/** The list with one place moved up (-1) or down (1); the same where it cannot. */
export function moved(places: readonly Place[], at: number, by: -1 | 1): readonly Place[] {
  const one = places[at], other = places[at + by];
  if (one === undefined || other === undefined) return places;
  return places.map((place) => place === one ? other : place === other ? one : place);
}

/** What is wrong with the weights, each at its place. */
export function faults(places: readonly Place[]): readonly ProblemItem[] {
  return places.flatMap(({ weight }, at) =>
    /^\d{1,3}$/.test(weight.trim()) && Number(weight) <= 100 ? [] : [{
      pointer: `/Uplinks/${at}/Weight`,
      message: "Enter a whole number from 0 to 100",
    }]
  );
}

/** What is sent: the places, then those that were listed and are no uplinks at present. */
export function sharesOf(places: readonly Place[], before: readonly Share[]): readonly Share[] {
  const shown = new Set(places.map(({ name }) => name));
  return [
    ...places.map(({ name, weight }) => ({ Iface: name, Weight: Number(weight) })),
    ...before.filter(({ Iface }) => !shown.has(Iface)),
  ];
}
