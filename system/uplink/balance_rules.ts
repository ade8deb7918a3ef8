import type { UplinkPath } from "../core/kernel/host.ts";
import type { WanConfig } from "./schema.ts";

/** Weight of an uplink about which nothing was decided. */
export const DEFAULT_WEIGHT = 1;

/** The configured weight of an uplink; 0 makes it a standby. */
export function weightOf({ Uplinks }: Pick<WanConfig, "Uplinks">, name: string): number {
  return Uplinks.find(({ Iface }) => Iface === name)?.Weight ?? DEFAULT_WEIGHT;
}

/** Uplinks in order of preference: as configured, then the others as listed. */
export function inOrder<T>(
  uplinks: readonly T[],
  { Uplinks }: Pick<WanConfig, "Uplinks">,
  nameOf: (one: T) => string,
): readonly T[] {
  const places = new Map(Uplinks.map(({ Iface }, at) => [Iface, at]));
  const placeOf = (one: T): number => places.get(nameOf(one)) ?? places.size;
  return uplinks.toSorted((a, b) => placeOf(a) - placeOf(b));
}

/**
 * The uplinks that take new connections now, each with its weight, in order of preference. A standby
 * is used alone, when no other is up; where all are down, each counts as up.
 */
export function sharesOf(
  paths: readonly UplinkPath[],
  { Balance }: Pick<WanConfig, "Balance">,
): ReadonlyMap<string, number> {
  const leading = paths.filter(({ leads }) => leads);
  const living = leading.some(({ alive }) => alive)
    ? leading.filter(({ alive }) => alive)
    : leading;
  const weighty = living.filter(({ weight }) => weight > 0);
  const chosen = weighty.length > 0 ? weighty : living.slice(0, 1);
  const taken = Balance === "off" ? chosen.slice(0, 1) : chosen;
  return new Map(taken.map(({ name, weight }) => [name, Math.max(weight, 1)]));
}

/** How much of all new connections an uplink gets, in whole percent. */
export function percentOf(shares: ReadonlyMap<string, number>, name: string): number {
  const sum = [...shares.values()].reduce((all, weight) => all + weight, 0);
  return sum === 0 ? 0 : Math.round((shares.get(name) ?? 0) / sum * 100);
}
