import type { UplinkPath } from "../core/kernel/desired.ts";
import type { UplinkSettings } from "./schema.ts";

/** Weight of an uplink without a configured one. */
const DEFAULT_WEIGHT = 1;

/** The configured weight of an uplink; 0 makes it a standby. */
export function weightOf({ Uplinks }: Pick<UplinkSettings, "Uplinks">, name: string): number {
  return Uplinks.find(({ Iface }) => Iface === name)?.Weight ?? DEFAULT_WEIGHT;
}

/** Uplinks in order of preference: as configured, then the others as listed. */
export function inOrder<T>(
  uplinks: readonly T[],
  { Uplinks }: Pick<UplinkSettings, "Uplinks">,
  nameOf: (one: T) => string,
): readonly T[] {
  const positions = new Map(Uplinks.map(({ Iface }, at) => [Iface, at]));
  const positionOf = (one: T): number => positions.get(nameOf(one)) ?? positions.size;
  return uplinks.toSorted((a, b) => positionOf(a) - positionOf(b));
}

/**
 * The uplinks that take new connections now, each with its weight, in order of preference. A standby
 * is used alone, when no other is up; where all are down, each counts as up.
 */
export function sharesOf(
  paths: readonly UplinkPath[],
  { Balance }: Pick<UplinkSettings, "Balance">,
): ReadonlyMap<string, number> {
  const usable = paths.filter(({ hasGateway }) => hasGateway);
  const healthy = usable.some(({ isHealthy }) => isHealthy)
    ? usable.filter(({ isHealthy }) => isHealthy)
    : usable;
  const weighted = healthy.filter(({ weight }) => weight > 0);
  const candidates = weighted.length > 0 ? weighted : healthy.slice(0, 1);
  const selected = Balance === "off" ? candidates.slice(0, 1) : candidates;
  return new Map(selected.map(({ name, weight }) => [name, Math.max(weight, 1)]));
}

/** How much of all new connections an uplink gets, in whole percent. */
export function percentOf(shares: ReadonlyMap<string, number>, name: string): number {
  const sum = [...shares.values()].reduce((all, weight) => all + weight, 0);
  return sum === 0 ? 0 : Math.round((shares.get(name) ?? 0) / sum * 100);
}
