import type { PatchEntry, SecretPath } from "../change.ts";
import { elementKeys, type KeyOf } from "./patch.ts";
import { canonical, isRecord, weightOf } from "../../config/json.ts";
import type { Documents } from "../../config/document.ts";
import { LARGE } from "../../config/json_text.ts";
import { derive, onceEach } from "../../config/memo.ts";

/** Stands where a secret is. */
export const HIDDEN = "(hidden)";

/** Names of fields that hold a secret by their name alone: documents keep fields that no schema knows. */
const SECRET_NAME = /(?:psk|pass(?:word|phrase|wd)|secret|token|key)s?$/i;
const PUBLIC_NAME = /pub(?:lic)?_?keys?$/i;

/** True for the name of a field whose text or number is to be hidden whatever its document is. */
export function namesSecret(field: string): boolean {
  return SECRET_NAME.test(field) && !PUBLIC_NAME.test(field);
}

/** A copy of a value in which the fields that are secrets by their name read `(hidden)`. */
export function maskNamed(value: unknown): unknown {
  return maskBelow(value, [], {});
}

/** What of a document is secret, and how elements of its arrays are named. */
export interface Secrets {
  readonly secret?: ((path: readonly string[]) => boolean) | undefined;
  readonly keyOf?: KeyOf | undefined;
}

/** A copy of patch entries in which every secret reads `(hidden)`; one that is empty stays empty. */
export function maskPatch(
  entries: readonly PatchEntry[],
  secretsOf: (document: string) => Secrets,
): readonly PatchEntry[] {
  return entries.map((entry) => maskEntry(entry, secretsOf(entry.document)));
}

/** {@link maskPatch} in small steps. */
export function* maskSteps(
  entries: readonly PatchEntry[],
  secretsOf: (document: string) => Secrets,
): Generator<void, readonly PatchEntry[]> {
  const masked: PatchEntry[] = [];
  for (const entry of entries) {
    masked.push(yield* maskEntrySteps(entry, secretsOf(entry.document)));
    yield;
  }
  return masked;
}

/** {@link maskEntry} in small steps. */
export function* maskEntrySteps(entry: PatchEntry, secrets: Secrets): Generator<void, PatchEntry> {
  yield* prepareMask(entry.before, secrets);
  yield* prepareMask(entry.after, secrets);
  return maskEntry(entry, secrets);
}

/** Does in small steps what masking a large value takes long for, where names alone decide. */
export function* prepareMask(value: unknown, secrets: Secrets): Generator<void, void> {
  if (secrets.secret !== undefined || typeof value !== "object" || value === null) return;
  if (weightOf(value) < LARGE) return void maskedByName(value);
  for (const member of Object.values(value)) {
    yield* prepareMask(member, secrets);
    yield;
  }
}

/** A copy of a document's value in which every secret reads `(hidden)`, in small steps. */
export function* maskWholeSteps(
  value: unknown,
  secrets: Secrets,
  path: readonly string[] = [],
): Generator<void, unknown> {
  if (secrets.secret === undefined || weightOf(value) < LARGE) {
    yield* prepareMask(value, secrets);
    return maskBelow(value, path, secrets);
  }
  if (Array.isArray(value)) {
    const keys = elementKeys(value, secrets.keyOf);
    const elements: unknown[] = [];
    for (const [index, element] of value.entries()) {
      elements.push(yield* below(element, keys[index]!));
    }
    return changed(value, elements);
  }
  if (!isRecord(value)) return value;
  const members: [string, unknown][] = [];
  for (const [name, member] of Object.entries(value)) {
    members.push([name, isHidden(member, name) ? HIDDEN : yield* below(member, name)]);
  }
  return members.every(([name, member]) => value[name] === member)
    ? value
    : Object.fromEntries(members);

  function* below(member: unknown, name: string): Generator<void, unknown> {
    yield;
    const at = [...path, name];
    if (member !== "" && member !== null && secrets.secret?.(at)) return HIDDEN;
    return yield* maskWholeSteps(member, secrets, at);
  }
}

/** A copy of one entry of a patch in which every secret reads `(hidden)`. */
function maskEntry(entry: PatchEntry, secrets: Secrets): PatchEntry {
  const masked = { ...entry };
  if ("before" in entry) masked.before = maskAt(entry.before, entry.path, secrets);
  if ("after" in entry) masked.after = maskAt(entry.after, entry.path, secrets);
  const own = "after" in entry ? entry.after : entry.before;
  const shown = "after" in entry ? masked.after : masked.before;
  const last = entry.path.at(-1);
  // An element without a name of its own is named by its JSON, which would show the secret.
  if (last !== undefined && own !== shown && last.startsWith(canonical(own))) {
    masked.path = [...entry.path.slice(0, -1), HIDDEN];
  }
  return masked;
}

/** A copy of the value at a path of a document in which every secret reads `(hidden)`. */
export function maskAt(value: unknown, path: readonly string[], secrets: Secrets): unknown {
  if (value === "" || value === null || value === undefined) return value;
  if (path.some((_, depth) => secrets.secret?.(path.slice(0, depth + 1)))) return HIDDEN;
  // An element that is named by itself is a word of a list, no field.
  const last = path.at(-1);
  if (last !== undefined && last !== value && isHidden(value, last)) return HIDDEN;
  return maskBelow(value, path, secrets);
}

function maskBelow(value: unknown, path: readonly string[], secrets: Secrets): unknown {
  if (secrets.secret === undefined) return maskedByName(value);
  if (Array.isArray(value)) {
    const keys = elementKeys(value, secrets.keyOf);
    return changed(value, value.map((element, index) => below(element, keys[index]!)));
  }
  if (!isRecord(value)) return value;
  const members = Object.entries(value).map((
    [name, member],
  ) => [name, isHidden(member, name) ? HIDDEN : below(member, name)]);
  return members.every(([name, member]) => value[name as string] === member)
    ? value
    : Object.fromEntries(members);

  function below(member: unknown, name: string): unknown {
    const at = [...path, name];
    if (member !== "" && member !== null && secrets.secret?.(at)) return HIDDEN;
    return maskBelow(member, at, secrets);
  }
}

/** Where no place is secret, names alone decide: the same for an object wherever it is. */
function maskedByName(value: unknown): unknown {
  return typeof value === "object" && value !== null ? maskedObject(value) : value;
}

const maskedObject = onceEach((value: object): unknown => {
  if (Array.isArray(value)) return changed(value, value.map(maskedByName));
  const members = Object.entries(value).map((
    [name, member],
  ) => [name, isHidden(member, name) ? HIDDEN : maskedByName(member), member] as const);
  return members.every(([, masked, member]) => masked === member)
    ? value
    : Object.fromEntries(members.map(([name, masked]) => [name, masked]));
});

/** Objects and lists under such a name are looked into. */
function isHidden(member: unknown, name: string): boolean {
  if (!namesSecret(name)) return false;
  if (Array.isArray(member)) return member.some((element) => isHidden(element, name));
  return typeof member === "number" || typeof member === "string" && member !== "";
}

function changed(before: readonly unknown[], after: readonly unknown[]): readonly unknown[] {
  return after.every((element, index) => element === before[index]) ? before : after;
}

/*
 * A secret that is sent is recorded as changed even if it equals the stored one: otherwise a preview,
 * the number of changes or an entity tag would tell a caller who may not read it that a guess is right.
 */

/** The entries of secrets that were sent and equal what is stored: from the value to itself. */
export function equalSecrets<C>(
  secrets: readonly SecretPath[],
  { after, patch, documents }: {
    readonly after: C;
    readonly patch: readonly PatchEntry[];
    readonly documents: Documents<C>;
  },
): readonly PatchEntry[] {
  const recorded = new Set(patch.map(pathKey));
  return [...byPath(secrets).values()].flatMap(({ document, path }) => {
    const name = document as keyof C & string;
    const value = valueAt(after[name], path, documents[name]?.keyOf);
    if (value === undefined || value === "" || isRecorded(recorded, document, path)) return [];
    return [{ document, path, before: value, after: value }];
  });
}

/**
 * Entries in an order that does not tell which of the secrets that were sent are those that are stored:
 * first what is about no such secret, then one after the other as they were sent.
 */
export function secretsLast(
  patch: readonly PatchEntry[],
  secrets: readonly SecretPath[],
): readonly PatchEntry[] {
  if (secrets.length === 0) return patch;
  const order = new Map([...byPath(secrets).keys()].map((key, at) => [key, at]));
  const about: { readonly entry: PatchEntry; readonly place: number }[] = [];
  const others: PatchEntry[] = [];
  for (const entry of patch) {
    const place = order.get(pathKey(entry));
    if (place === undefined) others.push(entry);
    else about.push({ entry, place });
  }
  about.sort((a, b) => a.place - b.place);
  return [...others, ...about.map(({ entry }) => entry)];
}

function byPath(secrets: readonly SecretPath[]): ReadonlyMap<string, SecretPath> {
  return new Map(secrets.map((secret) => [pathKey(secret), secret]));
}

function pathKey({ document, path }: Pick<SecretPath, "document" | "path">): string {
  return JSON.stringify([document, path]);
}

/** True where an entry is about the place, or about something that holds it; those are given by path. */
function isRecorded(
  recorded: ReadonlySet<string>,
  document: string,
  path: readonly string[],
): boolean {
  for (let length = 0; length <= path.length; length++) {
    if (recorded.has(pathKey({ document, path: path.slice(0, length) }))) return true;
  }
  return false;
}

function valueAt(value: unknown, path: readonly string[], keyOf: KeyOf | undefined): unknown {
  return path.reduce<unknown>((at, segment) => {
    if (Array.isArray(at)) return at[elementKeys(at, keyOf).indexOf(segment)];
    return isRecord(at) && Object.hasOwn(at, segment) ? at[segment] : undefined;
  }, value);
}

/** The configuration with new objects on the way to these places, as if what they hold were new. */
export function renewed<C>(config: C, entries: readonly PatchEntry[]): C {
  const parts = [...Map.groupBy(entries, ({ document }) => document)].map(([document, of]) => {
    const value = config[document as keyof C] as unknown;
    if (Array.isArray(value)) return [document, [...value]];
    if (!isRecord(value)) return [document, value];
    const members = of.flatMap(({ path: [name] }) => {
      const member = name === undefined ? undefined : value[name];
      return isRecord(member) ? [[name!, { ...member }]] : [];
    });
    return [document, derive(value, Object.fromEntries(members))];
  });
  return { ...config, ...Object.fromEntries(parts) };
}

/** Where entries of a patch hold secrets, also inside of what they add or remove. */
export function secretsIn<C>(
  patch: readonly PatchEntry[],
  documents: Documents<C>,
): readonly SecretPath[] {
  return patch.flatMap((entry) => {
    const secrets: Secrets = documents[entry.document as keyof C] ?? {};
    const [masked] = maskPatch([entry], () => secrets);
    return (["before", "after"] as const).flatMap((side) =>
      differing(entry[side], masked![side], entry.path, secrets.keyOf)
    ).map((path) => ({ document: entry.document, path }));
  });
}

/** Paths at which a masked copy differs from its value. */
function differing(
  value: unknown,
  masked: unknown,
  path: readonly string[],
  keyOf: KeyOf | undefined,
): readonly (readonly string[])[] {
  if (value === masked) return [];
  if (Array.isArray(value) && Array.isArray(masked)) {
    const keys = elementKeys(value, keyOf);
    return value.flatMap((element, index) =>
      differing(element, masked[index], [...path, keys[index]!], keyOf)
    );
  }
  if (isRecord(value) && isRecord(masked)) {
    return Object.keys(value).flatMap((name) =>
      differing(value[name], masked[name], [...path, name], keyOf)
    );
  }
  return [path];
}
