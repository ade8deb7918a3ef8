import type { PatchEntry } from "../../core/engine/change.ts";
import type { Document } from "../../core/config/document.ts";
import { HIDDEN, namesSecret } from "../../core/engine/journal/secrets.ts";
import { elementKeys } from "../../core/engine/journal/patch.ts";
import { isRecord } from "../../core/config/json.ts";
import { inSlices } from "../../core/time/slices.ts";

/** Which parts of a document are secret. */
type Rules = Pick<Document<unknown>, "secret" | "keyOf">;

/** Shorter texts also occur elsewhere; no accepted secret is as short. */
const MIN_SECRET_LENGTH = 6;

/** Every secret text of a document's value, or of a part of it that stands at `base`, in small steps. */
export function* secretsOf(
  value: unknown,
  rules: Rules,
  base: readonly string[] = [],
): Generator<void, readonly string[]> {
  const { secret, keyOf } = rules;
  const found: string[] = [];
  function* walk(at: unknown, path: readonly string[], hidden: boolean): Generator<void, void> {
    const isHidden = hidden || path.length > 0 && secret?.(path) === true ||
      path.length > 0 && path.at(-1) !== at && namesSecret(path.at(-1)!) && !isRecord(at);
    if (typeof at === "string" && isHidden) found.push(at);
    else if (Array.isArray(at)) {
      const keys = elementKeys(at, keyOf);
      for (const [index, element] of at.entries()) {
        yield* walk(element, [...path, keys[index]!], isHidden);
      }
      yield;
    } else if (isRecord(at)) {
      for (const [name, member] of Object.entries(at)) {
        yield* walk(member, [...path, name], isHidden);
      }
      yield;
    }
  }
  yield* walk(
    value,
    base,
    base.some((_, depth) => depth > 0 && secret?.(base.slice(0, depth)) === true),
  );
  return found;
}

/** Every secret that changes removed or added, former ones included. */
export async function formerSecrets(
  patches: AsyncIterable<readonly PatchEntry[]>,
  rulesOf: (document: string) => Rules,
): Promise<readonly string[]> {
  const found = new Set<string>();
  for await (const patch of patches) await inSlices(addSecrets(patch, rulesOf, found));
  return [...found];
}

function* addSecrets(
  patch: readonly PatchEntry[],
  rulesOf: (document: string) => Rules,
  found: Set<string>,
): Generator<void, void> {
  for (const { document, path, before, after } of patch) {
    for (const value of [before, after]) {
      for (const secret of yield* secretsOf(value, rulesOf(document), path)) found.add(secret);
    }
    yield;
  }
}

/** A named secret in tool output: `psk=…`, `Authorization: Bearer …`. */
const NAMED_SECRET = new RegExp(
  "\\b(psk|(?:wpa_?|sae_?)?pass(?:word|phrase|wd)|secret|token|authorization)" +
    "([\"'\\\\]*\\s*[=:]\\s*[\"'\\\\]*(?:(?:Basic|Bearer)\\s+)?)([^\\s\"'\\\\,;]+)",
  "gi",
);

/** Removes the values of named secrets from a log. */
export function redactNamed(text: string): string {
  return text.replaceAll(
    NAMED_SECRET,
    (_, name: string, between: string) => `${name}${between}${HIDDEN}`,
  );
}

/** Characters of a text that are cleaned at a time. */
const PART = 1 << 16;

/**
 * Cleans a text in small steps. Its parts end where lines do, so that nothing that stands within a
 * line is cut; `isWhole` for secrets of several lines.
 */
export function* cleanSteps(
  text: string,
  clean: (part: string) => string,
  isWhole: boolean,
): Generator<void, string> {
  const parts: string[] = [];
  for (let from = 0; from < text.length;) {
    const end = isWhole ? -1 : text.indexOf("\n", from + PART);
    const to = end < 0 ? text.length : end + 1;
    parts.push(clean(text.slice(from, to)));
    from = to;
    yield;
  }
  return parts.join("");
}

/**
 * A function that removes these secrets from any text: verbatim, JSON-escaped, and URL-encoded.
 */
export function scrubber(secrets: readonly string[]): (text: string) => string {
  const forms = new Set(
    secrets.filter((secret) => secret.length >= MIN_SECRET_LENGTH && secret !== HIDDEN).flatMap((
      secret,
    ) => [
      secret,
      JSON.stringify(secret).slice(1, -1),
      ...(secret.isWellFormed() ? [encodeURIComponent(secret)] : []),
    ]),
  );
  if (forms.size === 0) return (text) => text;
  // The longest first: one secret may stand in another.
  const pattern = [...forms].sort((a, b) => b.length - a.length)
    .map((form) => form.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, "\\$&")).join("|");
  const expression = new RegExp(pattern, "g");
  return (text) => text.replaceAll(expression, HIDDEN);
}
