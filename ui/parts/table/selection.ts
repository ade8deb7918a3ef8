/** Which rows, by key, are chosen for one act on all of them. */
export type Selection = ReadonlySet<string>;

/** The choice with one row more or less. */
export function toggled(choice: Selection, key: string): Selection {
  const next = new Set(choice);
  if (!next.delete(key)) next.add(key);
  return next;
}

/** The choice with every row between two, both ends included, as the list shows them. */
export function through(
  choice: Selection,
  order: readonly string[],
  from: string,
  to: string,
): Selection {
  const [a, b] = [order.indexOf(from), order.indexOf(to)];
  if (a < 0 || b < 0) return toggled(choice, to);
  return new Set([...choice, ...order.slice(Math.min(a, b), Math.max(a, b) + 1)]);
}

/** All rows that are shown, or none of them where all are chosen already; others stay. */
export function allOrNone(choice: Selection, order: readonly string[]): Selection {
  const shown = new Set(order);
  return order.every((key) => choice.has(key))
    ? new Set([...choice].filter((one) => !shown.has(one)))
    : new Set([...choice, ...order]);
}

/** The chosen ones that still exist. */
export function existing(choice: Selection, known: Readonly<Record<string, unknown>>): Selection {
  const left = [...choice].filter((key) => Object.hasOwn(known, key));
  return left.length === choice.size ? choice : new Set(left);
}
