import type { Documents } from "../../config/document.ts";
import { derive } from "../../config/memo.ts";
import { isRecord } from "../../config/json.ts";
import type { PatchEntry, SecretPlace } from "../change.ts";
import { maskPatch, type Secrets } from "./mask.ts";
import { elementKeys, type KeyOf } from "./patch.ts";

/*
 * A secret that is sent is recorded as changed even if it equals the stored one: otherwise a preview,
 * the number of changes or an entity tag would tell a caller who may not read it that a guess is right.
 */

/** The entries of secrets that were sent and equal what is stored: from the value to itself. */
export function equalSecrets<C>(
  places: readonly SecretPlace[],
  { after, patch, documents }: {
    readonly after: C;
    readonly patch: readonly PatchEntry[];
    readonly documents: Documents<C>;
  },
): readonly PatchEntry[] {
  const unique = new Map(places.map((place) => [JSON.stringify(place), place]));
  return [...unique.values()].flatMap(({ document, path }) => {
    const name = document as keyof C & string;
    const value = valueAt(after[name], path, documents[name]?.keyOf);
    if (value === undefined || value === "" || isTold(patch, document, path)) return [];
    return [{ document, path, before: value, after: value }];
  });
}

/** True where an entry is about the place, or about something that holds it. */
function isTold(
  patch: readonly PatchEntry[],
  document: string,
  path: readonly string[],
): boolean {
  return patch.some((entry) =>
    entry.document === document && entry.path.length <= path.length &&
    entry.path.every((segment, depth) => segment === path[depth])
  );
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
): readonly SecretPlace[] {
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
