import type { PatchEntry } from "../change.ts";
import { differingMembers } from "../../config/memo.ts";
import { canonical, isRecord } from "../../config/json.ts";
import { sameJson } from "../../config/same_json.ts";
import { atOnce } from "../../time/slices.ts";

/** Names an object that is an element of an array. */
export type KeyOf = (element: unknown) => string;

/** Which document is compared, and how elements of its arrays are identified. */
export interface PatchSubject {
  readonly document: string;
  readonly keyOf?: KeyOf | undefined;
}

/** Elements of an array that are named, or compared, without a pause. */
const ELEMENTS_PER_STEP = 100;

/** What differs between two JSON values; empty when they are equal. */
export function diffDocument(
  before: unknown,
  after: unknown,
  subject: PatchSubject,
): readonly PatchEntry[] {
  return atOnce(diffSteps(before, after, subject));
}

/** {@link diffDocument} in small steps. */
export function* diffSteps(
  before: unknown,
  after: unknown,
  subject: PatchSubject,
): Generator<void, readonly PatchEntry[]> {
  const entries: PatchEntry[] = [];
  yield* compare(before, after, { subject, path: [], entries });
  return entries;
}

interface Position {
  readonly subject: PatchSubject;
  readonly path: readonly string[];
  readonly entries: PatchEntry[];
}

function* compare(before: unknown, after: unknown, position: Position): Generator<void, void> {
  if (before === after) return;
  if (Array.isArray(before) && Array.isArray(after)) {
    return yield* compareArrays(before, after, position);
  }
  if (isRecord(before) && isRecord(after)) return yield* compareRecords(before, after, position);
  if (sameJson(before, after)) return;
  position.entries.push({
    document: position.subject.document,
    path: position.path,
    before,
    after,
  });
}

function* compareRecords(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
  position: Position,
): Generator<void, void> {
  const { document } = position.subject;
  const changed = differingMembers(before, after);
  for (const name of changed) {
    const path = [...position.path, name];
    if (before[name] === undefined) continue;
    if (!has(after, name)) position.entries.push({ document, path, before: before[name] });
    else if (before[name] !== after[name]) {
      yield* compare(before[name], after[name], { ...position, path });
      yield;
    }
  }
  for (const name of changed) {
    if (after[name] === undefined || has(before, name)) continue;
    position.entries.push({ document, path: [...position.path, name], after: after[name] });
  }
}

function* compareArrays(
  before: readonly unknown[],
  after: readonly unknown[],
  position: Position,
): Generator<void, void> {
  const { document, keyOf } = position.subject;
  const keysBefore = yield* elementKeySteps(before, keyOf);
  const keysAfter = yield* elementKeySteps(after, keyOf);
  const positions = new Map(keysAfter.map((key, index) => [key, index]));
  const kept = new Set(keysBefore.filter((key) => positions.has(key)));
  if (reordered(keysBefore, keysAfter, kept) || isReplaced(position, keysBefore, keysAfter, kept)) {
    position.entries.push({ document, path: position.path, before, after });
    return;
  }
  for (const [index, key] of keysBefore.entries()) {
    const path = [...position.path, key];
    if (kept.has(key)) {
      yield* compare(before[index], after[positions.get(key)!], { ...position, path });
    } else position.entries.push({ document, path, before: before[index], index });
    if (index % ELEMENTS_PER_STEP === 0) yield;
  }
  keysAfter.forEach((key, index) => {
    if (kept.has(key)) return;
    position.entries.push({ document, path: [...position.path, key], after: after[index], index });
  });
}

function reordered(
  before: readonly string[],
  after: readonly string[],
  kept: ReadonlySet<string>,
): boolean {
  const stay = before.filter((key) => kept.has(key));
  return after.filter((key) => kept.has(key)).some((key, index) => key !== stay[index]);
}

/** Elements that come and go from which on a list may be taken to be another. */
const MANY_ELEMENTS = 32;

/**
 * True for a list within a document of which more comes and goes than stays: the list as a whole says it
 * in less than an entry for each element does.
 */
function isReplaced(
  { path }: Position,
  before: readonly string[],
  after: readonly string[],
  kept: ReadonlySet<string>,
): boolean {
  const moving = before.length + after.length - 2 * kept.size;
  return path.length > 1 && moving > Math.max(MANY_ELEMENTS, kept.size);
}

/** The names of an array's elements, each once: a second equal one gets `#2`. */
export function elementKeys(elements: readonly unknown[], keyOf?: KeyOf): readonly string[] {
  return atOnce(elementKeySteps(elements, keyOf));
}

function* elementKeySteps(
  elements: readonly unknown[],
  keyOf: KeyOf | undefined,
): Generator<void, readonly string[]> {
  const taken = new Set<string>();
  const keys: string[] = [];
  for (const element of elements) {
    const name = elementName(element, keyOf);
    let key = name;
    for (let count = 2; taken.has(key); count++) key = `${name}#${count}`;
    taken.add(key);
    if (keys.push(key) % ELEMENTS_PER_STEP === 0) yield;
  }
  return keys;
}

function elementName(element: unknown, keyOf?: KeyOf): string {
  if (typeof element === "string") return element;
  return isRecord(element) && keyOf !== undefined ? keyOf(element) : canonical(element);
}

/**
 * Makes the entries' changes in a value. Entries whose path is gone are passed over, so that a
 * rollback never stops halfway.
 */
export function applyPatch(
  value: unknown,
  entries: readonly PatchEntry[],
  keyOf?: KeyOf,
): unknown {
  return atOnce(applySteps(value, entries, keyOf));
}

/** {@link applyPatch} in small steps. */
export function* applySteps(
  value: unknown,
  entries: readonly PatchEntry[],
  keyOf?: KeyOf,
): Generator<void, unknown> {
  return entries.length === 0 ? value : yield* applyAt(value, entries, { depth: 0, keyOf });
}

interface Level {
  readonly depth: number;
  readonly keyOf: KeyOf | undefined;
}

const REMOVED = Symbol("removed");

function* applyAt(
  value: unknown,
  entries: readonly PatchEntry[],
  level: Level,
): Generator<void, unknown> {
  const whole = entries.find((entry) => entry.path.length === level.depth);
  if (whole !== undefined) return "after" in whole ? whole.after : REMOVED;
  const bySegment = Map.groupBy(entries, (entry) => entry.path[level.depth]!);
  const below = { ...level, depth: level.depth + 1 };
  if (Array.isArray(value)) return yield* applyToArray(value, bySegment, below);
  if (isRecord(value)) return yield* applyToRecord(value, bySegment, below);
  return value;
}

type BySegment = ReadonlyMap<string, readonly PatchEntry[]>;

function* applyToArray(
  value: readonly unknown[],
  bySegment: BySegment,
  level: Level,
): Generator<void, unknown> {
  const keys = yield* elementKeySteps(value, level.keyOf);
  const present = new Set(keys);
  const result: unknown[] = [];
  for (const [index, element] of value.entries()) {
    const entries = bySegment.get(keys[index]!);
    const next = entries === undefined ? element : yield* applyAt(element, entries, level);
    if (next !== REMOVED) result.push(next);
    if (index % ELEMENTS_PER_STEP === 0) yield;
  }
  const added = [...bySegment]
    .filter(([key]) => !present.has(key))
    .map(([, entries]) => addition(entries, level))
    .filter((entry) => entry !== undefined)
    .sort((one, other) => (one.index ?? result.length) - (other.index ?? result.length));
  for (const entry of added) {
    result.splice(Math.min(entry.index ?? result.length, result.length), 0, entry.after);
  }
  return result;
}

function* applyToRecord(
  value: Readonly<Record<string, unknown>>,
  bySegment: BySegment,
  level: Level,
): Generator<void, unknown> {
  const members: [string, unknown][] = [];
  for (const [name, member] of Object.entries(value)) {
    const entries = bySegment.get(name);
    if (entries !== undefined) yield;
    const next = entries === undefined ? member : yield* applyAt(member, entries, level);
    if (next !== REMOVED) members.push([name, next]);
  }
  for (const [name, entries] of bySegment) {
    const entry = has(value, name) ? undefined : addition(entries, level);
    if (entry !== undefined) members.push([name, entry.after]);
  }
  return Object.fromEntries(members);
}

function addition(entries: readonly PatchEntry[], level: Level): PatchEntry | undefined {
  return entries.find((entry) => entry.path.length === level.depth && "after" in entry);
}

function has(record: Readonly<Record<string, unknown>>, name: string): boolean {
  return Object.hasOwn(record, name) && record[name] !== undefined;
}

/** The entries that undo these. */
export function invertPatch(entries: readonly PatchEntry[]): readonly PatchEntry[] {
  return entries.map((entry) => ({
    document: entry.document,
    path: entry.path,
    ...("after" in entry ? { before: entry.after } : {}),
    ...("before" in entry ? { after: entry.before } : {}),
    ...(entry.index === undefined ? {} : { index: entry.index }),
  }));
}

/**
 * Answers, in small steps, whether another patch changes a value that this one changes, or that holds
 * one of these, or is within one. Takes as long as both are, not as their product.
 */
export function* touching(
  one: readonly PatchEntry[],
): Generator<void, (other: readonly PatchEntry[]) => Generator<void, boolean>> {
  const changed = new Set<string>(), around = new Set<string>();
  for (const { document, path } of one) {
    const keys = keysOfPath(document, path);
    changed.add(keys.at(-1)!);
    for (const key of keys) around.add(key);
    yield;
  }
  return function* (other) {
    for (const { document, path } of other) {
      const keys = keysOfPath(document, path);
      if (around.has(keys.at(-1)!) || keys.some((key) => changed.has(key))) return true;
      yield;
    }
    return false;
  };
}

/** A text for the document and one for each step of the path, none of which stands for another place. */
function keysOfPath(document: string, path: readonly string[]): readonly string[] {
  const keys = [JSON.stringify(document)];
  for (const segment of path) keys.push(`${keys.at(-1)} ${JSON.stringify(segment)}`);
  return keys;
}
