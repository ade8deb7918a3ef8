/** Which row elements there are: the number of each by the key of what it shows, as they stand. */
export type Slots = ReadonlyMap<string, number>;

/**
 * Gives each row to draw an element. A row that has one keeps it, and with it the focus; others take
 * those of rows that are drawn no more, from the top, so that a sort fills elements anew instead of
 * making and removing them. The element of `held`, which has the focus, is given to no other row.
 */
export function assignSlots(last: Slots, wanted: readonly string[], held: string): Slots {
  const drawn = new Set(wanted);
  const free: number[] = [];
  let next = 0;
  for (const [key, slot] of last) {
    if (!drawn.has(key) && key !== held) free.push(slot);
    next = Math.max(next, slot + 1);
  }
  let taken = 0;
  return new Map(
    [...drawn].map((key) => [key, last.get(key) ?? free[taken++] ?? next++]),
  );
}
