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
  // deno-lint-ignore no-control-regex
  const plain = /^[\x00-\x7f]*$/.test(text);
  // A blank may be one that scripts leave out, such as a byte order mark.
  const whole = plain ? text.toLowerCase() : /\s/.test(text) ? "" : domainToASCII(text);
  const ascii = whole.endsWith(".") ? whole.slice(0, -1) : whole;
  return ascii.length > 0 && ascii.length <= LONGEST && NAME.test(ascii) ? ascii : null;
}

/** A name as its readers write it: `xn--bcher-kva.example` is `bücher.example`. */
export function displayName(name: string): string {
  if (!name.includes("xn--")) return name;
  const shown = domainToUnicode(name);
  return shown === "" ? name : shown;
}

/**
 * Writes a name of {@link domainName} as it stands on the wire, without allocating anything. Answers
 * its length, 0 when it is none; `out` has room for 255 bytes (RFC 1035 2.3.4).
 */
export function writeWire(name: string, out: Uint8Array): number {
  if (name.length === 0 || name.length > LONGEST) return 0;
  let label = 0;
  for (let i = 0; i < name.length; i++) {
    const code = name.charCodeAt(i);
    if (code !== 0x2e) {
      out[i + 1] = code;
      continue;
    }
    if (i === label || i - label > 63) return 0;
    out[label] = i - label;
    label = i + 1;
  }
  if (name.length === label || name.length - label > 63) return 0;
  out[label] = name.length - label;
  out[name.length + 1] = 0;
  return name.length + 2;
}
