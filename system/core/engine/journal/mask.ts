import type { PatchEntry } from "../change.ts";
import { elementKeys, type KeyOf } from "./patch.ts";
import { canonical, isRecord } from "../../config/json.ts";

/** Stands where a secret is. */
export const HIDDEN = "(hidden)";

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
  return entries.map((entry) => {
    const secrets = secretsOf(entry.document);
    if (secrets.secret === undefined) return entry;
    const masked = { ...entry };
    if ("before" in entry) masked.before = maskValue(entry.before, entry.path, secrets);
    if ("after" in entry) masked.after = maskValue(entry.after, entry.path, secrets);
    const own = "after" in entry ? entry.after : entry.before;
    const shown = "after" in entry ? masked.after : masked.before;
    const last = entry.path.at(-1);
    // An element without a name of its own is named by its JSON, which would show the secret.
    if (last !== undefined && own !== shown && last.startsWith(canonical(own))) {
      masked.path = [...entry.path.slice(0, -1), HIDDEN];
    }
    return masked;
  });
}

function maskValue(value: unknown, path: readonly string[], secrets: Secrets): unknown {
  if (value === "" || value === null || value === undefined) return value;
  if (path.some((_, depth) => secrets.secret!(path.slice(0, depth + 1)))) return HIDDEN;
  return maskBelow(value, path, secrets);
}

function maskBelow(value: unknown, path: readonly string[], secrets: Secrets): unknown {
  if (Array.isArray(value)) {
    const keys = elementKeys(value, secrets.keyOf);
    return changed(value, value.map((element, index) => below(element, keys[index]!)));
  }
  if (!isRecord(value)) return value;
  const members = Object.entries(value).map(([name, member]) => [name, below(member, name)]);
  return members.every(([name, member]) => value[name as string] === member)
    ? value
    : Object.fromEntries(members);

  function below(member: unknown, name: string): unknown {
    const at = [...path, name];
    if (member !== "" && member !== null && secrets.secret!(at)) return HIDDEN;
    return maskBelow(member, at, secrets);
  }
}

function changed(before: readonly unknown[], after: readonly unknown[]): readonly unknown[] {
  return after.every((element, index) => element === before[index]) ? before : after;
}
