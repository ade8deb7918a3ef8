import { domainToASCII, domainToUnicode } from "node:url";

/** Longest name as text without its final dot (RFC 1035 2.3.4: 255 bytes on the wire). */
const LONGEST = 253;
/** A label as it is met in practice: letters, digits, hyphens and underscores (RFC 2181 11). */
const NAME = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*$/;

/**
 * The one text of a domain name: lower case, no final dot, other scripts as `xn--` (RFC 5891); null
 * when it is none.
 */
export function domainName(text: string): string | null {
  const bare = text.endsWith(".") ? text.slice(0, -1) : text;
  // deno-lint-ignore no-control-regex
  const ascii = /^[\x00-\x7f]*$/.test(bare) ? bare.toLowerCase() : domainToASCII(bare);
  return ascii.length > 0 && ascii.length <= LONGEST && NAME.test(ascii) ? ascii : null;
}

/** A name as its readers write it: `xn--bcher-kva.example` is `bücher.example`. */
export function displayName(name: string): string {
  if (!name.includes("xn--")) return name;
  const shown = domainToUnicode(name);
  return shown === "" ? name : shown;
}
