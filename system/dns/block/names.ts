import { domainToASCII, domainToUnicode } from "node:url";

/** Longest name as text without its final dot (RFC 1035 2.3.4: 255 bytes in wire format). */
const MAX_NAME_LENGTH = 253;
/** Labels as used in practice: letters, digits, hyphens and underscores (RFC 2181 11). */
const NAME = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*$/;

/**
 * The canonical text of a domain name: lower case, no final dot, other scripts as `xn--` (RFC 5891);
 * null for an invalid name.
 */
export function domainName(text: string): string | null {
  // deno-lint-ignore no-control-regex
  const plain = /^[\x00-\x7f]*$/.test(text);
  // `domainToASCII` drops some blanks, such as a byte order mark.
  const whole = plain ? text.toLowerCase() : /\s/.test(text) ? "" : domainToASCII(text);
  const ascii = whole.endsWith(".") ? whole.slice(0, -1) : whole;
  return ascii.length > 0 && ascii.length <= MAX_NAME_LENGTH && NAME.test(ascii) ? ascii : null;
}

/** A name in Unicode: `xn--bcher-kva.example` is `bücher.example`. */
export function displayName(name: string): string {
  if (!name.includes("xn--")) return name;
  const shown = domainToUnicode(name);
  return shown === "" ? name : shown;
}

/**
 * Writes a name of {@link domainName} in wire format without allocating. Returns its length, 0 for an
 * invalid name; `out` has room for 255 bytes (RFC 1035 2.3.4).
 */
export function writeWireName(name: string, out: Uint8Array): number {
  if (name.length === 0 || name.length > MAX_NAME_LENGTH) return 0;
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
