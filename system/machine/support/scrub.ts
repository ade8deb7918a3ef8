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

const NAME = "psk|(?:wpa_?|sae_?)?pass(?:word|phrase|wd)|secret|token|authorization";
const SCHEME = "Basic|Bearer";
/** A named secret in tool output: `psk=…`, `Authorization: Bearer …`. */
const NAMED_SECRET = new RegExp(
  `\\b(${NAME})(["'\\\\]*\\s*[=:]\\s*["'\\\\]*(?:(?:${SCHEME})\\s+)?)([^\\s"'\\\\,;]+)`,
  "gi",
);
/** What white space may follow within a named secret; and characters of the longest such word, or more. */
const BEFORE_SPACE = new RegExp(`(?:${NAME}|${SCHEME})$`, "i"), LONGEST_WORD = 16;

/** Removes the values of named secrets from a log. */
export function redactNamed(text: string): string {
  return text.replaceAll(
    NAMED_SECRET,
    (_, name: string, between: string) => `${name}${between}${HIDDEN}`,
  );
}

/** Characters of a text that are cleaned at a time. */
const PART = 1 << 16;

/** How a text is cleaned in steps. */
export interface CleanOptions {
  /** For secrets of several lines: the text is one part. */
  readonly isWhole: boolean;
  /** Characters of a part at least. */
  readonly part?: number;
}

/**
 * Cleans a text in small steps, with the result of `clean` for the whole text. Its parts end where lines
 * do and no named secret goes on in the next line, as in `password:` with its value below.
 */
export function* cleanSteps(
  text: string,
  clean: (part: string) => string,
  { isWhole, part = PART }: CleanOptions,
): Generator<void, string> {
  const parts: string[] = [];
  for (let from = 0; from < text.length;) {
    const to = isWhole ? text.length : endOfPart(text, from, part);
    parts.push(clean(text.slice(from, to)));
    from = to;
    yield;
  }
  return parts.join("");
}

/** Where a part that begins at `from` ends: behind a line that ends no part of a named secret. */
function endOfPart(text: string, from: number, part: number): number {
  for (let at = from + part;;) {
    const end = text.indexOf("\n", at);
    if (end < 0) return text.length;
    const before = lastOf(text, { from, to: end, is: /\S/ });
    if (before < from || !mayGoOn(text, from, before + 1)) return end + 1;
    // Blank lines do not separate a name from its value: the next line with text decides.
    const next = /\S/g;
    next.lastIndex = end;
    const found = next.exec(text);
    if (found === null) return text.length;
    at = found.index;
  }
}

/** True where the value of a named secret may follow the text from `from` to `to`, behind white space. */
function mayGoOn(text: string, from: number, to: number): boolean {
  if ("=:".includes(text[to - 1]!)) return true;
  const word = lastOf(text, { from, to, is: /[^"'\\]/ }) + 1;
  return BEFORE_SPACE.test(text.slice(Math.max(from, word - LONGEST_WORD), word));
}

/** Place of the last character of this kind between two places; less than `from` for none. */
function lastOf(
  text: string,
  { from, to, is }: { readonly from: number; readonly to: number; readonly is: RegExp },
): number {
  let at = to - 1;
  while (at >= from && !is.test(text[at]!)) at--;
  return at;
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
