import type { DnsClient } from "../../resolver/client.ts";
import type {
  CompiledFilter,
  CompiledOverride,
  CompiledSet,
  HashedOverrides,
} from "./compiled_filter.ts";
import { nameBytes } from "../../codec/name.ts";
import { overridesBelow } from "./names_below.ts";
import { hashSuffixes, SUFFIX_WORDS } from "../table/name_hash.ts";
import { MARK, type MarkKind, type NameTable, readMark } from "../table/name_table.ts";
import { scheduleAt } from "../../../core/time/schedule.ts";
import {
  type BlockConfig,
  type DomainOverride,
  isPermanent,
  type OverrideList,
} from "../schema.ts";
import { UnmatchedNames } from "../table/unmatched_names.ts";

/**
 * Prepares block lists and overrides for queries. `now`: unix milliseconds; overrides that have expired,
 * or do not apply at this time of day, are left out. `before`: the previous result, to reuse what is unchanged.
 */
export function compileFilter(
  config: BlockConfig,
  table: NameTable,
  clients: readonly DnsClient[] = [],
  now = 0,
  before: CompiledFilter | null = null,
): CompiledFilter {
  const byUri = new Map(config.BlockLists.map((list) => [list.URI, list]));
  const lists = table.image.lists.map((uri) => {
    const list = byUri.get(uri);
    return list?.Enabled ? list : null;
  });
  const unexpired = config.OverrideLists.flatMap(compiledList)
    .filter(({ override }) => override.Expiration === 0 || override.Expiration * 1000 > now);
  const active = unexpired.filter(({ override: { Schedule } }) =>
    Schedule === undefined || scheduleAt(Schedule, now).active
  );
  return {
    config,
    table,
    lists,
    sets: before !== null && before.table === table && sameLists(before.lists, lists)
      ? before.sets
      : table.image.sets.map((marks) => compiledSet(marks, lists)),
    overrides: overridesByHash(active, table),
    below: overridesBelow(active, table.image.key),
    unmatched: new UnmatchedNames(),
    excluded: new Set(config.ClientIPExclusions),
    // Of two clients with one address the first counts, as in the resolver.
    clients: new Map(clients.toReversed().map((client) => [client.address, client])),
    nextExpiry: unexpired.reduce<number | null>((next, { override: { Expiration, Schedule } }) => {
      const times = [
        ...(next === null ? [] : [next]),
        ...(Expiration === 0 ? [] : [Expiration * 1000]),
        ...(Schedule === undefined ? [] : [scheduleAt(Schedule, now).next]),
      ];
      return times.length === 0 ? null : Math.min(...times);
    }, null),
  };
}

/** True when the same lists are active, whatever their other settings. */
function sameLists(one: readonly unknown[], two: readonly unknown[]): boolean {
  return one.every((list, index) => (list === null) === (two[index] === null));
}

function compiledSet(marks: readonly number[], lists: readonly unknown[]): CompiledSet {
  const active = marks.map(readMark).filter(({ list }) => lists[list] !== null);
  const listsOf = (...kinds: readonly MarkKind[]): readonly number[] => [
    ...new Set(active.filter(({ kind }) => kinds.includes(kind)).map(({ list }) => list)),
  ];
  return {
    blocks: listsOf(MARK.block, MARK.importantBlock),
    exceptions: listsOf(MARK.exception, MARK.importantException),
    importantBlocks: listsOf(MARK.importantBlock),
    importantExceptions: listsOf(MARK.importantException),
    below: listsOf(MARK.below),
  };
}

function compiledList(list: OverrideList): CompiledOverride[] {
  if (!list.Enabled) return [];
  const compiled = (override: DomainOverride, permits: boolean): CompiledOverride => ({
    permits,
    override,
    list,
    ref: { override: { list: list.Name, domain: override.Domain, client: override.ClientIP } },
  });
  return [
    ...list.PermitDomains.map((override) => compiled(override, true)),
    ...list.BlockDomains.map((override) => compiled(override, false)),
  ];
}

/**
 * Sort key of the overrides of one domain: for one client before for groups before for all, and those
 * for a time before those that always apply.
 */
function precedence({ override }: CompiledOverride): number {
  const { ClientIP, Groups = [] } = override;
  const audience = ClientIP !== "*" ? 0 : Groups.length > 0 ? 2 : 4;
  return audience + (isPermanent(override) ? 1 : 0);
}

/** Overrides by domain, sorted by {@link precedence}, then in the order of their lists, permits first. */
function overridesByHash(
  overrides: readonly CompiledOverride[],
  table: NameTable,
): ReadonlyMap<number, readonly HashedOverrides[]> {
  const words = new Uint32Array(SUFFIX_WORDS);
  const result = new Map<number, HashedOverrides[]>();
  for (const [domain, group] of Map.groupBy(overrides, ({ override }) => override.Domain)) {
    const name = nameBytes(domain);
    if (name === null) continue;
    const at = 2 * hashSuffixes(table.image.key, name, words);
    const [a, b] = [words[at]!, words[at + 1]!];
    const entry = {
      a,
      b,
      overrides: group.toSorted((one, two) => precedence(one) - precedence(two)),
    };
    const beside = result.get(a | 0);
    if (beside === undefined) result.set(a | 0, [entry]);
    else beside.push(entry);
  }
  return result;
}
