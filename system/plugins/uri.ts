import { BUILT_IN } from "./built_in.ts";

const SEGMENT = "[A-Za-z0-9-]+";
const URI = new RegExp(`^${SEGMENT}(/${SEGMENT})*$`);

/** True for one or more segments of letters, digits and hyphens. */
export function isPluginUri(uri: string): boolean {
  return URI.test(uri);
}

/** True where one address equals or contains the other, segment by segment. */
export function overlaps(one: string, other: string): boolean {
  return `${one}/`.startsWith(`${other}/`) || `${other}/`.startsWith(`${one}/`);
}

/** What a request to a plugin means. */
export interface PluginTarget<P> {
  readonly plugin: P;
  /** Path at the plugin: begins with a slash, each character in its one form. */
  readonly path: string;
}

/** A path below `/plugins/` that stands for a plugin without the slash at its end. */
export interface PluginRoot {
  readonly redirect: string;
}

/**
 * Finds the plugin that a path of the wire means, the longest address first; null where there is none.
 * The address is compared as it was sent: one with escapes in it means no plugin, so that a proxy, a
 * scope and the plugin cannot read it differently. Throws URIError for escapes that are no UTF-8 or
 * stand for a control character.
 */
export function matchPlugin<P extends { readonly URI: string }>(
  plugins: readonly P[],
  path: string,
): PluginTarget<P> | PluginRoot | null {
  if (!path.startsWith("/plugins/")) return null;
  const below = path.slice("/plugins/".length);
  const [found] = plugins
    .filter(({ URI }) => URI !== "" && `${below}/`.startsWith(`${URI}/`))
    .sort((a, b) => b.URI.length - a.URI.length);
  if (found === undefined) return null;
  const rest = below.slice(found.URI.length);
  return rest === ""
    ? { redirect: `/plugins/${found.URI}/` }
    : { plugin: found, path: oneFormOfPath(rest) };
}

/** Characters of a path that need no escape (RFC 3986 section 3.3), but `;`, which some servers cut at. */
const PLAIN = /^[A-Za-z0-9\-._~!$&'()*+,=:@/]$/;
const PLAIN_PATH = /^[A-Za-z0-9\-._~!$&'()*+,=:@/]*$/;

/**
 * A path in which every character has one form: plain where it may be, else its UTF-8 bytes as escapes
 * in upper case. Slashes, dots, backslashes and semicolons that were escaped are refused before.
 */
export function oneFormOfPath(path: string): string {
  if (PLAIN_PATH.test(path)) return path;
  const text = decodeURIComponent(path);
  // deno-lint-ignore no-control-regex
  if (/[\u0000-\u001f\u007f]/.test(text)) throw new URIError("A path holds no control characters");
  return [...text].map((letter) => PLAIN.test(letter) ? letter : encodeURIComponent(letter))
    .join("");
}

/** The address among these, or of a part of Sluice, that another one would overlap; null for none. */
export function takenUri(
  uri: string,
  others: readonly { readonly Name: string; readonly URI: string }[],
): { readonly Name: string; readonly URI: string } | null {
  if (uri === "") return null;
  return [...BUILT_IN, ...others].find((one) => one.URI !== "" && overlaps(uri, one.URI)) ?? null;
}
