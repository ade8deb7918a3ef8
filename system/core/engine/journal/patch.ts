import type { PatchEntry } from "../change.ts";
import { differingMembers } from "../../config/memo.ts";
import { canonical, isRecord } from "../../config/json.ts";

/** Names an object that is an element of an array. */
export type KeyOf = (element: unknown) => string;

/** Which document is compared, and how elements of its arrays are identified. */
export interface PatchSubject {
  readonly document: string;
  readonly keyOf?: KeyOf | undefined;
}

/** What differs between two JSON values; empty when they are equal. */
export function diffDocument(
  before: unknown,
  after: unknown,
  subject: PatchSubject,
): readonly PatchEntry[] {
  const entries: PatchEntry[] = [];
  compare(before, after, { subject, path: [], entries });
  return entries;
}

interface Position {
  readonly subject: PatchSubject;
  readonly path: readonly string[];
  readonly entries: PatchEntry[];
}

function compare(before: unknown, after: unknown, position: Position): void {
  if (before === after) return;
  if (Array.isArray(before) && Array.isArray(after)) return compareArrays(before, after, position);
  if (isRecord(before) && isRecord(after)) return compareRecords(before, after, position);
  if (canonical(before) === canonical(after)) return;
  position.entries.push({
    document: position.subject.document,
    path: position.path,
    before,
    after,
  });
}

function compareRecords(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
  position: Position,
): void {
  const { document } = position.subject;
  const changed = differingMembers(before, after);
  for (const name of changed) {
    const path = [...position.path, name];
    if (before[name] === undefined) continue;
    if (!has(after, name)) position.entries.push({ document, path, before: before[name] });
    else if (before[name] !== after[name]) {
      compare(before[name], after[name], { ...position, path });
    }
  }
  for (const name of changed) {
    if (after[name] === undefined || has(before, name)) continue;
    position.entries.push({ document, path: [...position.path, name], after: after[name] });
  }
}

function compareArrays(
  before: readonly unknown[],
  after: readonly unknown[],
  position: Position,
): void {
  const { document, keyOf } = position.subject;
  const keysBefore = elementKeys(before, keyOf);
  const keysAfter = elementKeys(after, keyOf);
  const positions = new Map(keysAfter.map((key, index) => [key, index]));
  const kept = new Set(keysBefore.filter((key) => positions.has(key)));
  if (reordered(keysBefore, keysAfter, kept)) {
    position.entries.push({ document, path: position.path, before, after });
    return;
  }
  keysBefore.forEach((key, index) => {
    const path = [...position.path, key];
    if (kept.has(key)) compare(before[index], after[positions.get(key)!], { ...position, path });
    else position.entries.push({ document, path, before: before[index], index });
  });
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

/** The names of an array's elements, each once: a second equal one gets `#2`. */
export function elementKeys(elements: readonly unknown[], keyOf?: KeyOf): readonly string[] {
  const taken = new Set<string>();
  return elements.map((element) => {
    const name = elementName(element, keyOf);
    let key = name;
    for (let count = 2; taken.has(key); count++) key = `${name}#${count}`;
    taken.add(key);
    return key;
  });
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
  return entries.length === 0 ? value : applyAt(value, entries, { depth: 0, keyOf });
}

interface Level {
  readonly depth: number;
  readonly keyOf: KeyOf | undefined;
}

const REMOVED = Symbol("removed");

function applyAt(value: unknown, entries: readonly PatchEntry[], level: Level): unknown {
  const whole = entries.find((entry) => entry.path.length === level.depth);
  if (whole !== undefined) return "after" in whole ? whole.after : REMOVED;
  const bySegment = Map.groupBy(entries, (entry) => entry.path[level.depth]!);
  const below = { ...level, depth: level.depth + 1 };
  if (Array.isArray(value)) return applyToArray(value, bySegment, below);
  if (isRecord(value)) return applyToRecord(value, bySegment, below);
  return value;
}

type BySegment = ReadonlyMap<string, readonly PatchEntry[]>;

function applyToArray(value: readonly unknown[], bySegment: BySegment, level: Level): unknown {
  const keys = elementKeys(value, level.keyOf);
  const present = new Set(keys);
  const result = value
    .map((element, index) => {
      const entries = bySegment.get(keys[index]!);
      return entries === undefined ? element : applyAt(element, entries, level);
    })
    .filter((element) => element !== REMOVED);
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

function applyToRecord(
  value: Readonly<Record<string, unknown>>,
  bySegment: BySegment,
  level: Level,
): unknown {
  const members: [string, unknown][] = [];
  for (const [name, member] of Object.entries(value)) {
    const entries = bySegment.get(name);
    const next = entries === undefined ? member : applyAt(member, entries, level);
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

/** True when both change the same value, or one of them a value that holds the other's. */
export function touches(one: readonly PatchEntry[], other: readonly PatchEntry[]): boolean {
  return one.some((a) =>
    other.some((b) =>
      a.document === b.document &&
      (a.path.length < b.path.length ? a.path : b.path)
        .every((segment, depth) => segment === (a.path.length < b.path.length ? b : a).path[depth])
    )
  );
}
