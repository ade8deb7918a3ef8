import type { Finding } from "../../core/kernel/host.ts";
import { formatIpv4, parseIpv4, parseRange4 } from "../../core/net/net.ts";
import type { Chain, NftSet, Table } from "../../core/kernel/ruleset.ts";
import { elementText, hookText } from "../../core/kernel/nft/text.ts";
import type { ListedChain, ListedTable } from "./listing.ts";

/** Elements above which a set is only counted. */
export const LARGE_SET = 5000;

/** Name of the scratch table, which shows how the kernel prints our rules. */
export const SCRATCH = "sluice_compare";

/**
 * A table with the same sets, empty, and the same chains without hooks: its listing shows how the kernel
 * prints our rules, which is not how they are rendered.
 */
export function scratchTable(table: Table): Table {
  return {
    family: table.family,
    name: SCRATCH,
    sets: table.sets.map((set) => ({ ...set, elements: new Map() })),
    chains: table.chains.map(({ name, rules }) => ({ name, rules })),
  };
}

/** True for a set whose elements take something away; those of all others give. */
export type IsRestrictive = (set: string) => boolean;

/** The input of a table's comparison. */
export interface Compared {
  /** The applied table. */
  readonly table: Table;
  /** {@link scratchTable} as the kernel lists it. */
  readonly written: ListedTable;
  /** The kernel's table; null when there is none. Large sets are without elements. */
  readonly listed: ListedTable | null;
  /** Elements of large sets, by name, where they were counted. */
  readonly counts: ReadonlyMap<string, number>;
  readonly isRestrictive: IsRestrictive;
}

/** How a table in the kernel differs from the applied one. */
export function compareTable(options: Compared): readonly Finding[] {
  const { table, written, listed, counts, isRestrictive } = options;
  const tableName = `${table.family} ${table.name}`;
  if (listed === null) {
    return [{ what: `table ${tableName}`, expected: "the table", found: null, urgent: true }];
  }
  const findings: Finding[] = [];
  for (const set of table.sets) {
    findings.push(...compareSet(set, { tableName, written, listed, counts, isRestrictive }));
  }
  for (const chain of table.chains) {
    findings.push(...compareChain(chain, { tableName, written, listed }));
  }
  const names = new Set(table.chains.map(({ name }) => name));
  for (const [name, { hook }] of listed.chains) {
    if (names.has(name)) continue;
    const what = `chain ${tableName} ${name}`;
    findings.push({ what, expected: null, found: hook ?? "a chain", urgent: true });
  }
  return findings;
}

interface Context {
  /** Family and name of the table. */
  readonly tableName: string;
  readonly written: ListedTable;
  readonly listed: ListedTable;
}

function compareSet(
  set: NftSet,
  context: Context & Pick<Compared, "counts" | "isRestrictive">,
): readonly Finding[] {
  const kind = set.value === undefined ? "set" : "map";
  const what = `${kind} ${context.tableName} ${set.name}`;
  const header = context.written.sets.get(set.name)?.header ?? null;
  const found = context.listed.sets.get(set.name);
  if (found === undefined) return [{ what, expected: header, found: null, urgent: true }];
  if (found.header !== header) {
    return [{ what, expected: header, found: found.header, urgent: true }];
  }
  // Its elements are the kernel's own.
  if (set.dynamic !== undefined) return [];
  if (set.elements.size > LARGE_SET) {
    const count = context.counts.get(set.name);
    if (count === undefined || count === set.elements.size) return [];
    const [expected, got] = [`${set.elements.size} elements`, `${count} elements`];
    const urgent = isUrgent(set, count > set.elements.size, context.isRestrictive);
    return [{ what, expected, found: got, urgent }];
  }
  return compareElements(set, {
    what,
    listed: found.elements,
    isRestrictive: context.isRestrictive,
  });
}

function compareElements(
  set: NftSet,
  { what, listed, isRestrictive }: {
    readonly what: string;
    readonly listed: readonly string[];
    readonly isRestrictive: IsRestrictive;
  },
): readonly Finding[] {
  const wanted = new Map(
    [...set.elements.values()].map((one) => elementText(one, set)).map((text) => [
      canonical(text),
      text,
    ]),
  );
  const found = new Map(listed.map((text) => [canonical(text), text]));
  const missing = [...wanted].filter(([key]) => !found.has(key)).map(([, text]): Finding => ({
    what,
    expected: text,
    found: null,
    urgent: isUrgent(set, false, isRestrictive),
  }));
  const extra = [...found].filter(([key]) => !wanted.has(key)).map(([, text]): Finding => ({
    what,
    expected: null,
    found: text,
    urgent: isUrgent(set, true, isRestrictive),
  }));
  return [...missing, ...extra];
}

/** True when an extra element (`more`), or a missing one, may allow what no rule allows. */
export function isUrgent(set: NftSet, more: boolean, isRestrictive: IsRestrictive): boolean {
  // Sets of interfaces decide which rules apply to an interface, so either way counts.
  if (set.key.length === 1 && set.key[0] === "ifname") return true;
  return isRestrictive(set.name) ? !more : more;
}

function compareChain(chain: Chain, { tableName, written, listed }: Context): readonly Finding[] {
  const what = `chain ${tableName} ${chain.name}`;
  const wanted = written.chains.get(chain.name);
  const found = listed.chains.get(chain.name);
  const expected = hookText(chain);
  if (found === undefined) {
    return [{ what, expected: expected ?? "a chain", found: null, urgent: true }];
  }
  const hooks = expected === found.hook
    ? []
    : [{ what, expected, found: found.hook, urgent: true }];
  return [...hooks, ...compareRules(what, wanted ?? { hook: null, rules: [] }, found)];
}

function compareRules(what: string, wanted: ListedChain, found: ListedChain): readonly Finding[] {
  const missing = without(wanted.rules, found.rules);
  const extra = without(found.rules, wanted.rules);
  if (found.rules.length === 0 && missing.length > 1) {
    return [{ what, expected: `${missing.length} rules`, found: "no rules", urgent: true }];
  }
  if (missing.length + extra.length > 0) {
    // What an extra or missing rule allows depends on those after it.
    return [
      ...missing.map((rule): Finding => ({ what, expected: rule, found: null, urgent: true })),
      ...extra.map((rule): Finding => ({ what, expected: null, found: rule, urgent: true })),
    ];
  }
  const at = wanted.rules.findIndex((rule, index) => rule !== found.rules[index]);
  if (at < 0) return [];
  return [{ what, expected: wanted.rules[at]!, found: found.rules[at] ?? null, urgent: true }];
}

/** The items of one list that are missing in another, each as often as it is missing. */
function without(list: readonly string[], other: readonly string[]): readonly string[] {
  const left = new Map<string, number>();
  for (const item of other) left.set(item, (left.get(item) ?? 0) + 1);
  return list.filter((item) => {
    const count = left.get(item) ?? 0;
    left.set(item, count - 1);
    return count <= 0;
  });
}

/** The canonical form of an element: no quotes, addresses and networks as ranges. */
function canonical(text: string): string {
  return text.replaceAll('"', "").toLowerCase().split(/ ([.:]) /).map(range).join(" ");
}

function range(part: string): string {
  const [from = "", to] = part.split("-");
  if (to !== undefined && parseIpv4(from) !== null) return part;
  const network = parseRange4(part);
  if (network === null) return part;
  return network.first === network.last
    ? formatIpv4(network.first)
    : `${formatIpv4(network.first)}-${formatIpv4(network.last)}`;
}
