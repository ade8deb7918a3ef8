import { locale } from "../../text/language.ts";

const collator = new Intl.Collator(locale);

/** What something is called, and whether that puts it before others: the lower the earlier. */
export interface Named {
  readonly name: string;
  readonly rank?: number;
}

/** The first few by rank and name; the others are not sorted, of which there may be a thousand. */
export function firstByName<T>(
  items: readonly T[],
  most: number,
  namedOf: (item: T) => Named,
): readonly T[] {
  const first: { readonly item: T; readonly named: Named }[] = [];
  for (const item of items) {
    const named = namedOf(item);
    let at = first.length;
    while (at > 0 && compare(named, first[at - 1]!.named) < 0) at--;
    if (at >= most) continue;
    first.splice(at, 0, { item, named });
    if (first.length > most) first.pop();
  }
  return first.map(({ item }) => item);
}

function compare({ name: a, rank: x = 0 }: Named, { name: b, rank: y = 0 }: Named): number {
  return x - y || collator.compare(a, b);
}
