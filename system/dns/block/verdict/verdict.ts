import type { DnsClient } from "../../resolver/client.ts";
import { nameBytes } from "../../codec/name.ts";
import type { CompiledBlock, CompiledOverride } from "./compile.ts";
import { hashSuffixes, MOST_LABELS, SUFFIX_WORDS } from "../table/name_hash.ts";
import type { Verdict } from "./verdict_schema.ts";

export { compileBlock, type CompiledBlock } from "./compile.ts";
export { rebinds, rebindsAt } from "./rebinding.ts";
export type { DecidedBy, OverrideRef, Verdict } from "./verdict_schema.ts";

/** One question. */
export interface Question {
  /** On the wire, in lower case and without pointers; or text, final dot or none. */
  readonly name: Uint8Array | string;
  /** The keyed number of the name, where it is known. */
  readonly key?: number;
  /** The device that asks; absent for an address that is nobody's. */
  readonly client?: DnsClient | undefined;
  /** Address that the question came from; default that of the client. */
  readonly address?: string;
  /** Unix milliseconds. */
  readonly now: number;
  /** True for a name of home: no block list touches it. */
  readonly local?: boolean;
}

const PASS: Verdict = { kind: "pass", categories: [] };
const NO_TAGS: readonly string[] = [];
const NONE: readonly string[] = [];

/** Hashes of the name and its parents, of the question that is decided now. */
const hashes = new Uint32Array(SUFFIX_WORDS);
/** Sets that hold the name or a parent. */
const found = new Uint32Array(MOST_LABELS + 1);

/**
 * Decides one question. In this order: an excluded client gets everything; one in quarantine the
 * quarantine host; then the override of the longest domain decides, one for this very client before
 * one for all; a name of home is answered; then the lists that are meant for the client decide. What
 * is found in no list allocates nothing.
 */
export function decide(question: Question, compiled: CompiledBlock): Verdict {
  const { client, key } = question;
  const address = question.address ?? client?.address ?? "";
  if (compiled.excluded.has(address)) return PASS;
  if (client?.policies.includes("quarantine")) {
    const host = compiled.config.QuarantineHostIP;
    return host === "" ? { kind: "quarantine" } : { kind: "quarantine", address: host };
  }
  if (key !== undefined && compiled.undecided.has(key)) return PASS;
  const name = typeof question.name === "string" ? nameBytes(question.name) : question.name;
  if (name === null) return PASS;
  const labels = hashSuffixes(compiled.table.image.key, name, hashes);
  const tags = client?.tags ?? NO_TAGS;
  const override = compiled.overrides.size === 0
    ? null
    : overrideOf(compiled, labels, { address, tags, now: question.now });
  if (override !== null) return byOverride(override, categoriesOf(compiled, labels));
  const count = findSets(compiled, labels);
  if (count > 0) return question.local ? PASS : byLists(compiled, count, tags);
  if (key !== undefined && !hasOverrides(compiled, labels)) compiled.undecided.add(key);
  return PASS;
}

/** Who asks, and when. */
interface Asker {
  readonly address: string;
  readonly tags: readonly string[];
  readonly now: number;
}

/** The override that decides: of the longest domain that has one for the asker. */
function overrideOf(
  compiled: CompiledBlock,
  labels: number,
  asker: Asker,
): CompiledOverride | null {
  for (let depth = labels; depth >= 0; depth--) {
    const group = overridesAt(compiled, hashes[2 * depth]!, hashes[2 * depth + 1]!);
    for (const override of group) if (missing(override, asker) === null) return override;
  }
  return null;
}

/** True when someone decided about the name or a parent, for whomever and however long. */
function hasOverrides(compiled: CompiledBlock, labels: number): boolean {
  if (compiled.overrides.size === 0) return false;
  for (let depth = labels; depth >= 0; depth--) {
    if (overridesAt(compiled, hashes[2 * depth]!, hashes[2 * depth + 1]!).length > 0) return true;
  }
  return false;
}

const NO_OVERRIDES: readonly CompiledOverride[] = [];

/** The overrides of the domain with this hash, those that win first. */
export function overridesAt(
  compiled: CompiledBlock,
  a: number,
  b: number,
): readonly CompiledOverride[] {
  const groups = compiled.overrides.get(a | 0);
  if (groups === undefined) return NO_OVERRIDES;
  for (const group of groups) if (group.b === b) return group.overrides;
  return NO_OVERRIDES;
}

/** Why an override does not hold for the asker; null when it does. */
export function missing(
  { override, list }: CompiledOverride,
  { address, tags, now }: Asker,
): "client" | "tags" | "ended" | null {
  if (override.ClientIP !== "*" && override.ClientIP !== address) return "client";
  if (!shares(list.Tags, tags) || !shares(override.Tags, tags)) return "tags";
  return override.Expiration !== 0 && override.Expiration * 1000 <= now ? "ended" : null;
}

/** True when nothing is asked for, or the asker has one of it. */
export function shares(wanted: readonly string[], tags: readonly string[]): boolean {
  if (wanted.length === 0) return true;
  for (const tag of wanted) if (tags.includes(tag)) return true;
  return false;
}

function byOverride(
  { permits, override, ref }: CompiledOverride,
  categories: readonly string[],
): Verdict {
  if (override.ResultIP !== "") {
    return { kind: "answer", address: override.ResultIP, by: ref, categories };
  }
  if (override.ResultCNAME !== "") {
    return { kind: "answer", cname: override.ResultCNAME, by: ref, categories };
  }
  return permits
    ? { kind: "pass", permitted: ref, categories }
    : { kind: "block", by: ref, categories };
}

/** Fills {@link found}; answers how many. */
function findSets({ table }: CompiledBlock, labels: number): number {
  let count = 0;
  for (let depth = 1; depth <= labels; depth++) {
    const set = table.find(hashes[2 * depth]!, hashes[2 * depth + 1]!);
    if (set !== 0) found[count++] = set;
  }
  return count;
}

function byLists(compiled: CompiledBlock, count: number, tags: readonly string[]): Verdict {
  const categories: string[] = [];
  let blocking: string | null = null;
  for (let i = 0; i < count; i++) {
    for (const place of compiled.sets[found[i]!]!.blocks) {
      const list = compiled.lists[place]!;
      if (!shares(list.Tags, tags) || isException(compiled, count, place)) continue;
      if (list.Category !== "" && !categories.includes(list.Category)) {
        categories.push(list.Category);
      }
      if (!list.DontBlock) blocking ??= list.URI;
    }
  }
  if (blocking !== null) return { kind: "block", by: { list: blocking }, categories };
  return categories.length === 0 ? PASS : { kind: "pass", categories };
}

/** True when the list itself makes an exception of the name or a parent. */
function isException(compiled: CompiledBlock, count: number, place: number): boolean {
  for (let i = 0; i < count; i++) {
    if (compiled.sets[found[i]!]!.exceptions.includes(place)) return true;
  }
  return false;
}

/** Categories of the lists that hold the name, for what an override decided. */
function categoriesOf(compiled: CompiledBlock, labels: number): readonly string[] {
  const count = findSets(compiled, labels);
  if (count === 0) return NONE;
  const categories = new Set<string>();
  for (let i = 0; i < count; i++) {
    for (const place of compiled.sets[found[i]!]!.blocks) {
      const { Category } = compiled.lists[place]!;
      if (Category !== "" && !isException(compiled, count, place)) categories.add(Category);
    }
  }
  return [...categories];
}
