import type { DnsClient } from "../../resolver/client.ts";
import { nameBytes } from "../../codec/name.ts";
import { hashSuffixes, SUFFIX_WORDS } from "../table/name_hash.ts";
import type { NameTable } from "../table/name_table.ts";
import type { BlockConfig, BlockList, DomainOverride, OverrideList } from "../schema.ts";
import { UndecidedNames } from "../table/unmatched_names.ts";
import type { OverrideRef } from "./verdict_schema.ts";

/** An override with all that decides whether it holds. */
export interface CompiledOverride {
  readonly permits: boolean;
  readonly override: DomainOverride;
  readonly list: OverrideList;
  readonly ref: OverrideRef;
}

/** What a set of marks comes to: places in {@link CompiledBlock.lists}. */
export interface CompiledSet {
  readonly blocks: readonly number[];
  readonly exceptions: readonly number[];
}

/** Decisions and lists, made ready for questions. */
export interface CompiledBlock {
  readonly config: BlockConfig;
  readonly table: NameTable;
  /** By place in the table's lists; null for one that is switched off or gone. */
  readonly lists: readonly (BlockList | null)[];
  readonly sets: readonly CompiledSet[];
  /** By the first half of the domain's hash, as a signed number: it is found without allocating. */
  readonly overrides: ReadonlyMap<number, readonly HashedOverrides[]>;
  /** Filled while questions are decided. */
  readonly undecided: UndecidedNames;
  readonly excluded: ReadonlySet<string>;
  readonly clients: ReadonlyMap<string, DnsClient>;
  /** Unix milliseconds of the next end of an override; null when none lies ahead. */
  readonly nextExpiry: number | null;
}

/** The overrides of one domain. */
export interface HashedOverrides {
  readonly a: number;
  readonly b: number;
  readonly overrides: readonly CompiledOverride[];
}

/**
 * Makes decisions ready for questions. `now`: unix milliseconds; what has ended by then is left out.
 * `before`: what was compiled last, to take from it what is the same.
 */
export function compileBlock(
  config: BlockConfig,
  table: NameTable,
  clients: readonly DnsClient[] = [],
  now = 0,
  before: CompiledBlock | null = null,
): CompiledBlock {
  const byUri = new Map(config.BlockLists.map((list) => [list.URI, list]));
  const lists = table.image.lists.map((uri) => {
    const list = byUri.get(uri);
    return list?.Enabled ? list : null;
  });
  const living = config.OverrideLists.flatMap(compiledList)
    .filter(({ override }) => override.Expiration === 0 || override.Expiration * 1000 > now);
  return {
    config,
    table,
    lists,
    sets: before !== null && before.table === table && sameLists(before.lists, lists)
      ? before.sets
      : table.image.sets.map((marks) => compiledSet(marks, lists)),
    overrides: hashed(living, table),
    undecided: new UndecidedNames(),
    excluded: new Set(config.ClientIPExclusions),
    // Of two with one address the first has it, as with the resolver.
    clients: new Map(clients.toReversed().map((client) => [client.address, client])),
    nextExpiry: living.reduce<number | null>((next, { override: { Expiration } }) => {
      if (Expiration === 0) return next;
      return Math.min(next ?? Infinity, Expiration * 1000);
    }, null),
  };
}

/** True when the same places are in force, whatever else is said of their lists. */
function sameLists(one: readonly unknown[], two: readonly unknown[]): boolean {
  return one.every((list, place) => (list === null) === (two[place] === null));
}

function compiledSet(marks: readonly number[], lists: readonly unknown[]): CompiledSet {
  const living = marks.filter((mark) => lists[mark >> 1] !== null);
  return {
    blocks: living.filter((mark) => (mark & 1) === 0).map((mark) => mark >> 1),
    exceptions: living.filter((mark) => (mark & 1) === 1).map((mark) => mark >> 1),
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

/** How far behind others of its domain an override stands: one for a client, and one for a while, go first. */
function rank({ override: { ClientIP, Expiration } }: CompiledOverride): number {
  return (ClientIP === "*" ? 2 : 0) + (Expiration === 0 ? 1 : 0);
}

/** Those of one domain by {@link rank}, then in the order of their lists, permits first. */
function hashed(
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
    const entry = { a, b, overrides: group.toSorted((one, two) => rank(one) - rank(two)) };
    const beside = result.get(a | 0);
    if (beside === undefined) result.set(a | 0, [entry]);
    else beside.push(entry);
  }
  return result;
}
