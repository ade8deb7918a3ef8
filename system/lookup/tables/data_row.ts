import { parseAddress, parseIpv4 } from "../../core/net/net.ts";
import { DataError } from "./data_error.ts";

/** A range of a data file, with what the file says of it. */
export interface DataRow {
  readonly family: 4 | 6;
  readonly first: bigint;
  readonly last: bigint;
  readonly fields: readonly string[];
}

const MAX_ASN = 2 ** 32 - 1;
const MAX_NAME_LENGTH = 120;

/**
 * A line of `first,last,…` (CSV, fields in quotes where they have commas) or of the same with tabs.
 * Throws {@link DataError}.
 */
export function parseRow(line: string): DataRow {
  const [first = "", last = "", ...fields] = line.includes("\t")
    ? line.split("\t")
    : commaFields(line);
  if (first.includes(":")) {
    const [from, to] = [parseAddress(first), parseAddress(last)];
    if (from?.family !== 6 || to?.family !== 6) throw malformed(line);
    return { family: 6, first: from.value, last: to.value, fields };
  }
  const [from, to] = [parseIpv4(first), parseIpv4(last)];
  if (from === null || to === null) throw malformed(line);
  return { family: 4, first: BigInt(from), last: BigInt(to), fields };
}

function malformed(line: string): DataError {
  return new DataError(`The file has a line that is not a range of addresses: ${quoted(line)}`);
}

/** The begin of a line of somebody else's, fit for a message. */
function quoted(line: string): string {
  return JSON.stringify(line.replaceAll(/[^\x20-\x7e]/g, "?").slice(0, 60));
}

function commaFields(line: string): readonly string[] {
  if (!line.includes('"')) return line.split(",");
  const fields: string[] = [];
  for (let at = 0; at <= line.length;) {
    if (line[at] !== '"') {
      const end = line.indexOf(",", at);
      fields.push(line.slice(at, end < 0 ? line.length : end));
      at = end < 0 ? line.length + 1 : end + 1;
      continue;
    }
    let text = "";
    for (at++; at < line.length; at++) {
      if (line[at] !== '"') text += line[at];
      else if (line[at + 1] === '"') text += line[++at];
      else break;
    }
    if (line[at] !== '"') throw malformed(line);
    fields.push(text);
    at += 2;
  }
  return fields;
}

/** Number of the network of a row, with or without `AS` before it. */
export function asnOf({ fields }: DataRow): number {
  const text = fields[0] ?? "";
  const asn = /^(?:AS)?\d{1,10}$/i.test(text) ? Number(text.replace(/^AS/i, "")) : NaN;
  if (asn <= MAX_ASN) return asn;
  throw new DataError(`The file has a range without a network number: ${quoted(fields.join())}`);
}

/** Name of the network of a row: its last field, after the number and perhaps the country. */
export function nameOf({ fields }: DataRow): string {
  return fields.length < 2 ? "" : oneLine(fields.at(-1)!);
}

/** A name from outside: one line without control characters. */
function oneLine(name: string): string {
  // deno-lint-ignore no-control-regex
  return name.replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, " ").trim()
    .slice(0, MAX_NAME_LENGTH).toWellFormed();
}

/** The country of a row as a number; 0: none. */
export function countryOf({ fields }: DataRow): number {
  // In a table of networks it follows the number.
  const text = fields.length > 2 ? fields[1]! : fields[0] ?? "";
  if (text === "" || text === "None" || text === "ZZ") return 0;
  const code = countryNumber(text);
  if (code === 0) throw new DataError(`The file has a range without a country: ${quoted(text)}`);
  return code;
}

/** A country code of two letters as a number; 0 where it is none. */
export function countryNumber(code: string): number {
  return /^[A-Z]{2}$/.test(code) ? code.charCodeAt(0) << 8 | code.charCodeAt(1) : 0;
}

/** The code of a country's number; empty for 0. */
export function countryCode(number: number): string {
  return number === 0 ? "" : String.fromCharCode(number >> 8, number & 0xff);
}
