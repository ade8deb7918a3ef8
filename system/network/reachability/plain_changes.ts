import { onceEach } from "../../core/config/memo.ts";
import type { Desired } from "../../core/kernel/desired.ts";
import { diffElements } from "../../core/kernel/nft/diff.ts";
import type { Element, NftSet, Table } from "../../core/kernel/ruleset.ts";
import { sameRoutes } from "./packet.ts";

/** What a set of addresses lost and got. */
export interface SetChange {
  readonly table: string;
  readonly set: NftSet;
  readonly gone: readonly Element[];
  readonly come: readonly Element[];
}

/** Changed elements up to which it is worth knowing them one by one. */
const MAX_CHANGED = 256;

/**
 * What differs where two states differ in nothing but elements of plain sets of addresses, as after a
 * change of a device's policies or groups; null where anything else may differ: what is known of all other
 * addresses then has to be found anew.
 */
export function plainChanges(before: Desired, after: Desired): readonly SetChange[] | null {
  if (before.addresses !== after.addresses || before.facts !== after.facts) return null;
  if (!sameRoutes(before.routes, after.routes)) return null;
  const { tables } = before.ruleset;
  if (tables.length !== after.ruleset.tables.length) return null;
  const found: SetChange[] = [];
  let elements = 0;
  for (const [at, table] of tables.entries()) {
    const changes = changesIn(table, after.ruleset.tables[at]!);
    if (changes === null) return null;
    for (const one of changes) elements += one.gone.length + one.come.length;
    if (elements > MAX_CHANGED) return null;
    found.push(...changes);
  }
  return found;
}

function changesIn(before: Table, after: Table): readonly SetChange[] | null {
  if (before === after) return [];
  const stays = before.name === after.name && before.family === after.family &&
    before.sets.length === after.sets.length && before.chains.length === after.chains.length &&
    before.chains.every((chain, at) => chain === after.chains[at]);
  if (!stays) return null;
  const found: SetChange[] = [];
  for (const [at, old] of before.sets.entries()) {
    const set = after.sets[at]!;
    if (set === old) continue;
    if (!sameShape(old, set) || set.interval || set.key[0] !== "ipv4_addr") return null;
    const { gone, come } = diffElements(old, set);
    // Elements of a set count as alike: one that says another thing changes what all are taken for.
    if (!come.every(({ value }) => valuesOf(old).has(valueText(value)))) return null;
    if (gone.length + come.length > MAX_CHANGED) return null;
    found.push({ table: after.name, set, gone, come });
  }
  return found;
}

function sameShape(a: NftSet, b: NftSet): boolean {
  const shape = ({ name, key, value, interval }: NftSet): string =>
    JSON.stringify([name, key, value ?? null, interval ?? false]);
  return shape(a) === shape(b);
}

function valueText(value: Element["value"]): string {
  return JSON.stringify(value ?? null);
}

const valuesOf = onceEach(({ elements }: NftSet): ReadonlySet<string> =>
  new Set([...elements.values()].map(({ value }) => valueText(value)))
);
