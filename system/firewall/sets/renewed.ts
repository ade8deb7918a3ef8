import type { Place } from "./device_elements.ts";

interface Renewed {
  /** Weak, or every list would keep all that came before it. */
  readonly from: WeakRef<readonly Place[]>;
  readonly positions: readonly number[];
}

const renewed = new WeakMap<readonly Place[], Renewed>();

/** Notes at which positions two lists of places hold other devices; all else in them is the same. */
export function noteRenewed(
  from: readonly Place[],
  to: readonly Place[],
  positions: readonly number[],
): void {
  renewed.set(to, { from: new WeakRef(from), positions });
}

/** Positions at which the second list is another than the first; null when that is not known. */
export function renewedPositions(
  from: readonly Place[],
  to: readonly Place[],
): readonly number[] | null {
  if (from === to) return [];
  const known = renewed.get(to);
  return known?.from.deref() === from ? known.positions : null;
}
