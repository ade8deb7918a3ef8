import type { PatchEntry } from "../change.ts";
import { elementKeys, type KeyOf } from "./patch.ts";
import { canonical, isRecord } from "../../config/json.ts";

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
  return entries.map((entry) => {
    const secrets = secretsOf(entry.document);
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
  });
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

/** Objects and lists under such a name are looked into. */
function isHidden(member: unknown, name: string): boolean {
  if (!namesSecret(name)) return false;
  if (Array.isArray(member)) return member.some((element) => isHidden(element, name));
  return typeof member === "number" || typeof member === "string" && member !== "";
}

function changed(before: readonly unknown[], after: readonly unknown[]): readonly unknown[] {
  return after.every((element, index) => element === before[index]) ? before : after;
}
