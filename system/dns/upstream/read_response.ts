import { type ParsedResponse, parseResponse } from "../codec/response_parser.ts";
import { FLAG, HEADER_BYTES, putUint16, RCODE, uint16 } from "../codec/constants.ts";
import { matchResponse } from "./upstream_query.ts";

/**
 * What a message is to a query. `none`: it belongs to another. `case`: it differs in the letter case of
 * the name alone. `truncated`: the rest is to be had over TCP. `short`: the header counts more records
 * than there are. `malformed`: it is a response to the query, and broken.
 */
export type Reading =
  | { readonly kind: "none" | "case" | "truncated" | "malformed" }
  | {
    readonly kind: "whole" | "short";
    readonly response: ParsedResponse;
    /** Its code, also one of those over 15, which `response` has as SERVFAIL. */
    readonly code: number;
  };

const NONE: Reading = { kind: "none" }, CASE: Reading = { kind: "case" };
const TRUNCATED: Reading = { kind: "truncated" }, MALFORMED: Reading = { kind: "malformed" };

/** Codes that a resolver may send without the question: it did not read, or not understand, the query. */
const BARE_CODES: ReadonlySet<number> = new Set([
  RCODE.FORMERR,
  RCODE.SERVFAIL,
  RCODE.NOTIMP,
  RCODE.REFUSED,
]);

/** Codes of a resolver without EDNS (RFC 6891 7), if it accepts the same query without it. */
const WITHOUT_EDNS: ReadonlySet<number> = new Set([RCODE.FORMERR, RCODE.NOTIMP, RCODE.BADVERS]);

/** True for a code that may mean that the resolver does not support EDNS. */
export function mayLackEdns(code: number): boolean {
  return WITHOUT_EDNS.has(code);
}

/** How {@link readResponse} reads. */
export interface ReadOptions {
  /** Length of the query name in wire format. */
  readonly nameLength: number;
  /** Over TLS, where the AD flag counts. */
  readonly isTrusted: boolean;
  /** Over a connection there is nothing more to be had: TC is no reason to query again. */
  readonly isStream: boolean;
}

/**
 * Reads a message by its header first: what a resolver says there counts even if the rest of the message
 * is missing or broken, so that nobody waits for a response that has already come.
 */
export function readResponse(
  message: Uint8Array,
  query: Uint8Array,
  { nameLength, isTrusted, isStream }: ReadOptions,
): Reading {
  if (message.length < HEADER_BYTES || uint16(message, 0) !== uint16(query, 0)) return NONE;
  const flags = uint16(message, 2);
  if ((flags & FLAG.QR) === 0 || (flags & 0x7800) !== 0) return NONE;
  if (uint16(message, 4) === 0) return bare(flags, query, { nameLength, isStream });
  const match = matchResponse(message, query, nameLength);
  if (match === "none") return NONE;
  if (match === "case" && !isStream) return CASE;
  if ((flags & FLAG.TC) !== 0 && !isStream) return TRUNCATED;
  const whole = parseResponse(message, isTrusted);
  const response = whole ?? parseResponse(message, isTrusted, true);
  if (response === null) return MALFORMED;
  const { code } = response;
  return {
    kind: whole === null ? "short" : "whole",
    // Those over 15 are about our EDNS, and no business of the client.
    response: code > 15 ? codeResponse(query, nameLength, RCODE.SERVFAIL) : response,
    code,
  };
}

/** A response without a question: it counts for what its header says, and carries no data. */
function bare(
  flags: number,
  query: Uint8Array,
  { nameLength, isStream }: Pick<ReadOptions, "nameLength" | "isStream">,
): Reading {
  if ((flags & FLAG.TC) !== 0 && !isStream) return TRUNCATED;
  const code = flags & 0x0f;
  if (!BARE_CODES.has(code)) return NONE;
  return { kind: "whole", response: codeResponse(query, nameLength, code), code };
}

/** A response to a query that has a code and nothing else. */
function codeResponse(query: Uint8Array, nameLength: number, code: number): ParsedResponse {
  const bytes = query.slice(0, HEADER_BYTES + nameLength + 4);
  putUint16(bytes, 2, FLAG.QR | FLAG.RD | FLAG.RA | code);
  for (const at of [6, 8, 10]) putUint16(bytes, at, 0);
  return parseResponse(bytes, false)!;
}
