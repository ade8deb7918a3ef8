import type { DnsClient } from "../../resolver/client.ts";
import type { BlockConfig, BlockList, DomainOverride, OverrideList } from "../schema.ts";
import type { NameTable } from "../table/name_table.ts";
import type { UnmatchedNames } from "../table/unmatched_names.ts";
import type { OverrideRef } from "./verdict_schema.ts";

/** An override together with its list. */
export interface CompiledOverride {
  readonly permits: boolean;
  readonly override: DomainOverride;
  readonly list: OverrideList;
  readonly ref: OverrideRef;
}

/** A set of marks as indexes into {@link CompiledFilter.lists}. */
export interface CompiledSet {
  /** Important blocks among them. */
  readonly blocks: readonly number[];
  readonly exceptions: readonly number[];
  readonly importantBlocks: readonly number[];
  readonly importantExceptions: readonly number[];
  /** Lists that block the name and have an exception below it. */
  readonly below: readonly number[];
}

/** Block lists and overrides, prepared for queries. */
export interface CompiledFilter {
  readonly config: BlockConfig;
  readonly table: NameTable;
  /** In the order of the table's lists; null for one that is disabled or deleted. */
  readonly lists: readonly (BlockList | null)[];
  readonly sets: readonly CompiledSet[];
  /** By the first half of the domain's hash as a signed number, which is found without allocating. */
  readonly overrides: ReadonlyMap<number, readonly HashedOverrides[]>;
  /** Overrides by which a name exists, in the same way, by each domain above it. */
  readonly below: ReadonlyMap<number, readonly HashedOverrides[]>;
  /** Filled by queries. */
  readonly unmatched: UnmatchedNames;
  readonly excluded: ReadonlySet<string>;
  readonly clients: ReadonlyMap<string, DnsClient>;
  /** Unix milliseconds at which an override next expires, or its schedule starts or ends; null for none. */
  readonly nextExpiry: number | null;
}

/** The overrides of one domain. */
export interface HashedOverrides {
  readonly a: number;
  readonly b: number;
  readonly overrides: readonly CompiledOverride[];
}

/** The client of a query, and the time of the query. */
export interface ClientContext {
  readonly address: string;
  readonly tags: readonly string[];
  readonly groups: readonly string[];
  readonly now: number;
}

/** Why an override does not apply to the client; null when it does. */
export function mismatchOf(
  { override, list }: CompiledOverride,
  { address, tags, groups, now }: ClientContext,
): "client" | "tags" | "groups" | "expired" | null {
  if (override.ClientIP !== "*" && override.ClientIP !== address) return "client";
  if (!matchesTags(list.Tags, tags) || !matchesTags(override.Tags, tags)) return "tags";
  if (override.Groups !== undefined && !matchesTags(override.Groups, groups)) return "groups";
  return override.Expiration !== 0 && override.Expiration * 1000 <= now ? "expired" : null;
}

/** True when no tags (or groups) are required, or one of them is present. */
export function matchesTags(required: readonly string[], tags: readonly string[]): boolean {
  if (required.length === 0) return true;
  for (const tag of required) if (tags.includes(tag)) return true;
  return false;
}
