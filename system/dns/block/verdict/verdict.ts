import type { DnsClient } from "../../resolver/client.ts";
import { bypassAnswer, bypassVerdict } from "./bypass_names.ts";
import { nameBytes } from "../../codec/name.ts";
import {
  type ClientContext,
  type CompiledFilter,
  type CompiledOverride,
  matchesTags,
  mismatchOf,
} from "./compiled_filter.ts";
import { hashSuffixes, MAX_LABELS, SUFFIX_WORDS } from "../table/name_hash.ts";
import type { Verdict } from "./verdict_schema.ts";

export { compileFilter } from "./compile.ts";
export type { CompiledFilter } from "./compiled_filter.ts";
export { isNonPublicAddress as rebinds, isNonPublicAt as rebindsAt } from "./rebinding.ts";
export type { OverrideRef, Verdict } from "./verdict_schema.ts";

/** A query to decide on. */
export interface FilterQuery {
  /** In wire format, lower case and without pointers; or text, final dot optional. */
  readonly name: Uint8Array | string;
  /** The keyed hash of the name, if known. */
  readonly key?: number;
  /** The client's device; absent for an address without one. */
  readonly client?: DnsClient | undefined;
  /** Address of the client; default that of its device. */
  readonly address?: string;
  /** Unix milliseconds. */
  readonly now: number;
  /** True for a local name, which block lists do not apply to. */
  readonly local?: boolean;
}

const PASS: Verdict = { kind: "pass", categories: [] };
const NO_LABELS: readonly string[] = [];
const NONE: readonly string[] = [];

/** Hashes of the name and its parent domains, for the current query. */
const hashes = new Uint32Array(SUFFIX_WORDS);
/** Sets that contain the name or a parent domain, for the current query. */
const found = new Uint32Array(MAX_LABELS + 1);
/** The set of the name itself; 0 for none. */
let own = 0;

/**
 * Decides on a query, in this order: a device in quarantine gets the quarantine host, also where it is
 * excluded; an excluded client passes; the override of the longest domain decides, one for this client
 * before one for all; a name that shows a way round the resolver is blocked where names are filtered;
 * a local name passes; the block lists for the client decide. A query without a match allocates
 * nothing.
 */
export function decide(query: FilterQuery, compiled: CompiledFilter): Verdict {
  const { client, key } = query;
  const address = query.address ?? client?.address ?? "";
  if (client?.policies.includes("quarantine")) {
    const host = compiled.config.QuarantineHostIP;
    return host === "" ? { kind: "quarantine" } : { kind: "quarantine", address: host };
  }
  if (key !== undefined && compiled.unmatched.has(key)) return PASS;
  const name = typeof query.name === "string" ? nameBytes(query.name) : query.name;
  if (name === null) return PASS;
  // The family filter holds for an excluded client as well.
  if (compiled.excluded.has(address)) {
    return bypassVerdict(name, client, address, compiled) ?? PASS;
  }
  const labels = hashSuffixes(compiled.table.image.key, name, hashes);
  const tags = client?.tags ?? NO_LABELS, groups = client?.groups ?? NO_LABELS;
  const override = compiled.overrides.size === 0
    ? null
    : findOverride(compiled, labels, { address, tags, groups, now: query.now });
  if (override !== null) return overrideVerdict(override, categoriesOf(compiled, labels));
  const bypass = bypassVerdict(name, client, address, compiled);
  if (bypass !== null) return bypass;
  const count = findSets(compiled, labels);
  if (count > 0) return query.local ? PASS : listVerdict(compiled, count, tags);
  if (key !== undefined && !hasOverrides(compiled, labels) && bypassAnswer(name) === null) {
    compiled.unmatched.add(key);
  }
  return PASS;
}

/** The override that decides: of the longest domain that has one for the client. */
function findOverride(
  compiled: CompiledFilter,
  labels: number,
  context: ClientContext,
): CompiledOverride | null {
  for (let depth = labels; depth >= 0; depth--) {
    const group = overridesAt(compiled, hashes[2 * depth]!, hashes[2 * depth + 1]!);
    for (const override of group) if (mismatchOf(override, context) === null) return override;
  }
  return null;
}

/** True when the name or a parent domain has any override. */
function hasOverrides(compiled: CompiledFilter, labels: number): boolean {
  if (compiled.overrides.size === 0) return false;
  for (let depth = labels; depth >= 0; depth--) {
    if (overridesAt(compiled, hashes[2 * depth]!, hashes[2 * depth + 1]!).length > 0) return true;
  }
  return false;
}

const NO_OVERRIDES: readonly CompiledOverride[] = [];

/** The overrides of the domain with this hash, in order of precedence. */
export function overridesAt(
  compiled: CompiledFilter,
  a: number,
  b: number,
): readonly CompiledOverride[] {
  const groups = compiled.overrides.get(a | 0);
  if (groups === undefined) return NO_OVERRIDES;
  for (const group of groups) if (group.b === b) return group.overrides;
  return NO_OVERRIDES;
}

function overrideVerdict(
  { permits, override, ref }: CompiledOverride,
  categories: readonly string[],
): Verdict {
  if (override.ResultIP !== "") {
    return { kind: "rewrite", address: override.ResultIP, by: ref, categories };
  }
  if (override.ResultCNAME !== "") {
    return { kind: "rewrite", cname: override.ResultCNAME, by: ref, categories };
  }
  return permits
    ? { kind: "pass", permitted: ref, categories }
    : { kind: "block", by: ref, categories };
}

/** Fills {@link found}; returns how many. */
function findSets({ table }: CompiledFilter, labels: number): number {
  let count = 0, set = 0;
  for (let depth = 1; depth <= labels; depth++) {
    set = table.find(hashes[2 * depth]!, hashes[2 * depth + 1]!);
    if (set !== 0) found[count++] = set;
  }
  own = set;
  return count;
}

function listVerdict(compiled: CompiledFilter, count: number, tags: readonly string[]): Verdict {
  const categories: string[] = [];
  let blocking: string | null = null;
  let hasBelow = true;
  for (let i = 0; i < count; i++) {
    for (const listIndex of compiled.sets[found[i]!]!.blocks) {
      const list = compiled.lists[listIndex]!;
      if (!matchesTags(list.Tags, tags) || isException(compiled, count, listIndex)) continue;
      if (list.Category !== "" && !categories.includes(list.Category)) {
        categories.push(list.Category);
      }
      if (list.DontBlock) continue;
      blocking ??= list.URI;
      hasBelow &&= compiled.sets[own]!.below.includes(listIndex);
    }
  }
  if (blocking !== null) {
    const by = { list: blocking };
    return hasBelow
      ? { kind: "block", by, categories, nodata: true }
      : { kind: "block", by, categories };
  }
  return categories.length === 0 ? PASS : { kind: "pass", categories };
}

/** True when the list has an exception for the name or a parent domain that holds. */
function isException(compiled: CompiledFilter, count: number, listIndex: number): boolean {
  let hasException = false, isImportant = false;
  for (let i = 0; i < count; i++) {
    const set = compiled.sets[found[i]!]!;
    if (set.importantExceptions.includes(listIndex)) return true;
    if (set.exceptions.includes(listIndex)) hasException = true;
    if (set.importantBlocks.includes(listIndex)) isImportant = true;
  }
  return hasException && !isImportant;
}

/** Categories of the block lists that contain the name, when an override decided. */
function categoriesOf(compiled: CompiledFilter, labels: number): readonly string[] {
  const count = findSets(compiled, labels);
  if (count === 0) return NONE;
  const categories = new Set<string>();
  for (let i = 0; i < count; i++) {
    for (const listIndex of compiled.sets[found[i]!]!.blocks) {
      const { Category } = compiled.lists[listIndex]!;
      if (Category !== "" && !isException(compiled, count, listIndex)) categories.add(Category);
    }
  }
  return [...categories];
}
