import { DataError } from "../tables/data_error.ts";
import { spanOf } from "./layers.ts";

/** A list of networks and prefixes that somebody publishes to be blocked. */
export interface BlockedList {
  readonly asns: readonly number[];
  readonly prefixes: readonly string[];
}

/** Entries of a list, and shortest prefixes: a wider one would block a large part of the Internet. */
const MAX_ENTRIES = 500_000;
const MIN_LENGTH_4 = 8n, MIN_LENGTH_6 = 16n;

/**
 * Reads a list of prefixes, addresses and networks: one a line (`192.0.2.0/24`, `AS64496`, `64496`), or
 * as JSON objects with `asn` or `cidr`, one a line. Comments follow `#` or `;`. Throws {@link DataError}
 * for what is no such list, or would block nearly everything.
 */
export function parseBlockedList(text: string): BlockedList {
  if (/^\s*</.test(text) || text.includes("\0")) {
    throw new DataError("The file is a web page or no text, not a list of addresses");
  }
  const asns = new Set<number>();
  const prefixes = new Set<string>();
  let invalid = 0;
  for (const whole of text.split("\n")) {
    const line = whole.replace(/[#;].*$/, "").trim();
    if (line === "") continue;
    const entry = entryOf(line);
    if (entry === null) invalid++;
    else if (typeof entry === "number") asns.add(entry);
    else if (entry !== "") prefixes.add(entry);
    if (asns.size + prefixes.size > MAX_ENTRIES) {
      throw new DataError(`The list has more than ${MAX_ENTRIES} entries`);
    }
  }
  if (asns.size + prefixes.size === 0) throw new DataError("The list has no addresses or networks");
  if (invalid > asns.size + prefixes.size) {
    throw new DataError("Most lines of the file are neither addresses nor networks");
  }
  for (const prefix of prefixes) {
    const [first, last] = spanOf(prefix)!;
    const isSix = prefix.includes(":");
    const widest = isSix ? 1n << 128n - MIN_LENGTH_6 : 1n << 32n - MIN_LENGTH_4;
    if (last - first + 1n > widest) {
      throw new DataError(`The list has ${prefix}, which is too wide`);
    }
  }
  return { asns: [...asns], prefixes: [...prefixes] };
}

/** A network's number, a prefix, empty for an object about the list itself, null for neither. */
function entryOf(line: string): number | string | null {
  if (line.startsWith("{")) return ofObject(line);
  const number = /^(?:AS)?(\d{1,10})$/i.exec(line)?.[1];
  if (number !== undefined) return asn(Number(number));
  const [word] = line.split(/[\s,]/);
  return spanOf(word!) === null ? null : word!;
}

function ofObject(line: string): number | string | null {
  try {
    const value: { readonly asn?: unknown; readonly cidr?: unknown; readonly type?: unknown } = JSON
      .parse(line.replace(/,$/, ""));
    if (typeof value.cidr === "string") return spanOf(value.cidr) === null ? null : value.cidr;
    if (typeof value.asn === "number") return asn(value.asn);
    return value.type === "metadata" ? "" : null;
  } catch {
    return null;
  }
}

function asn(value: number): number | null {
  return Number.isInteger(value) && value > 0 && value < 2 ** 32 ? value : null;
}
