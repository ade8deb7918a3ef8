import type { StoredResponse } from "./response_encoder.ts";
import { addressText } from "./address_data.ts";
import { lower, skipName } from "./name.ts";
import { CLASS, FLAG, HEADER_BYTES, RCODE, TYPE, uint16, uint32 } from "./constants.ts";

/** Upper limit of TTLs, in seconds (RFC 8767 4: a day to a week). */
const MAX_TTL_S = 86_400;
/** Upper limit for negative responses, in seconds (RFC 2308 5: one to three hours). */
const MAX_NEGATIVE_TTL_S = 3600;

const NONE: readonly number[] = [];

/** A well-formed response of an upstream resolver. */
export interface ParsedResponse extends StoredResponse {
  readonly truncated: boolean;
  /** Seconds for which it may be cached; 0: not at all. */
  readonly ttl: number;
  /** Addresses in its answers, as texts; created at each access. */
  readonly addresses: readonly string[];
  /** Those addresses, each as its offset and its size, four or sixteen. */
  readonly addressRanges: readonly number[];
  /** Offsets of the CNAME targets in its answers, in their order. */
  readonly aliases: readonly number[];
}

/**
 * Parses a response of an upstream resolver: walks every record, and returns null when any part is
 * malformed, so that nothing broken is cached or passed on. EDNS and what follows it are left out.
 * `isTrusted`: whether the AD flag counts, which depends on the connection (RFC 4035 4.9.3). `isShort`:
 * the header may count more records than there are, as some resolvers do, if the last one is whole and
 * there is an answer where answers are counted. The message itself is copied.
 */
export function parseResponse(
  message: Uint8Array,
  isTrusted = true,
  isShort = false,
): ParsedResponse | null {
  if (message.length < HEADER_BYTES || uint16(message, 4) !== 1) return null;
  const flags = uint16(message, 2);
  const question = skipName(message, HEADER_BYTES, message.length);
  if ((flags & FLAG.QR) === 0 || question < 0 || question + 4 > message.length) return null;
  const walk = new Walk(message, question + 4, isShort);
  const answers = walk.section(uint16(message, 6), "answer");
  if (answers < 0 || (answers === 0 && uint16(message, 6) > 0)) return null;
  const answersEnd = walk.at;
  const authority = walk.section(uint16(message, 8), "authority");
  if (authority < 0) return null;
  const additional = walk.additional(uint16(message, 10));
  if (additional < 0) return null;
  const code = (flags & 0x0f) | walk.extendedCode << 4;
  const bytes = message.slice(0, walk.at);
  for (const owner of walk.owners) lowerOwner(bytes, owner, question);
  return new WalkedResponse(bytes, walk, {
    answersEnd,
    answers,
    authority,
    additional,
    code,
    authentic: isTrusted && (flags & FLAG.AD) !== 0,
    truncated: (flags & FLAG.TC) !== 0,
    ttl: cacheTtl(code, answers > 0 && walk.positive, walk),
  });
}

/** What {@link parseResponse} found. */
class WalkedResponse implements ParsedResponse {
  readonly bytes: Uint8Array;
  readonly size: number;
  readonly answersEnd: number;
  readonly answers: number;
  readonly authority: number;
  readonly additional: number;
  readonly ttls: readonly number[];
  readonly ttlCount: number;
  readonly code: number;
  readonly authentic: boolean;
  readonly truncated: boolean;
  readonly ttl: number;
  readonly addressRanges: readonly number[];
  readonly aliases: readonly number[];

  constructor(
    bytes: Uint8Array,
    { ttls, addressRanges, aliases }: {
      readonly ttls: readonly number[];
      readonly addressRanges: readonly number[];
      readonly aliases: readonly number[];
    },
    more: Omit<
      ParsedResponse,
      "bytes" | "size" | "ttls" | "ttlCount" | "addressRanges" | "aliases" | "addresses"
    >,
  ) {
    this.bytes = bytes;
    this.size = bytes.length;
    this.ttls = ttls;
    this.ttlCount = ttls.length;
    this.addressRanges = addressRanges.length === 0 ? NONE : addressRanges;
    this.aliases = aliases.length === 0 ? NONE : aliases;
    this.answersEnd = more.answersEnd;
    this.answers = more.answers;
    this.authority = more.authority;
    this.additional = more.additional;
    this.code = more.code;
    this.authentic = more.authentic;
    this.truncated = more.truncated;
    this.ttl = more.ttl;
  }

  get addresses(): readonly string[] {
    return addressTexts(this);
  }
}

/** The addresses in a response, as texts. */
export function addressTexts(
  { bytes, addressRanges }: Pick<ParsedResponse, "bytes" | "addressRanges">,
): string[] {
  const texts: string[] = [];
  for (let i = 0; i < addressRanges.length; i += 2) {
    const at = addressRanges[i]!;
    texts.push(addressText(bytes.subarray(at, at + addressRanges[i + 1]!)));
  }
  return texts;
}

/** A copy of a response in memory of its own. */
export function copyResponse(response: ParsedResponse): ParsedResponse {
  const { ttls, ttlCount, addressRanges, aliases } = response;
  const walked = { ttls: ttls.slice(0, ttlCount), addressRanges, aliases };
  return new WalkedResponse(response.bytes.slice(0, response.size), walked, response);
}

/**
 * Writes the owner of a record in lower case where it is the query name without compression: it has
 * the random letter case of our query then, which must not reach clients. `end`: of the question's name.
 */
function lowerOwner(bytes: Uint8Array, owner: number, end: number): void {
  const length = end - HEADER_BYTES;
  if (owner + length > bytes.length) return;
  for (let i = 0; i < length; i++) {
    if (lower(bytes[owner + i]!) !== lower(bytes[HEADER_BYTES + i]!)) return;
  }
  for (let i = 0; i < length; i++) bytes[owner + i] = lower(bytes[owner + i]!);
}

/** How long a response may be cached: its lowest TTL, or for a negative one as its SOA says (RFC 2308 5). */
function cacheTtl(code: number, positive: boolean, walk: Walk): number {
  if (code === RCODE.NOERROR && positive) return Math.min(walk.least, MAX_TTL_S);
  if (code !== RCODE.NOERROR && code !== RCODE.NXDOMAIN) return 0;
  return Math.min(walk.negative, walk.least, MAX_NEGATIVE_TTL_S);
}

/** One pass over the records of a message. */
class Walk {
  at: number;
  /** Lowest TTL of the answers. */
  least = Infinity;
  /** Seconds that the SOA allows a negative response; 0 without one. */
  negative = 0;
  /** True when an answer has the queried type. */
  positive = false;
  extendedCode = 0;
  readonly ttls: number[] = [];
  readonly addressRanges: number[] = [];
  readonly aliases: number[] = [];
  /** Offsets of owners without compression. */
  readonly owners: number[] = [];
  readonly #bytes: Uint8Array;
  readonly #queryType: number;
  readonly #isShort: boolean;

  constructor(bytes: Uint8Array, start: number, isShort: boolean) {
    this.#isShort = isShort;
    this.#bytes = bytes;
    this.at = start;
    this.#queryType = uint16(bytes, start - 4);
  }

  /** Walks a section; returns the number of its records, -1 for a malformed one. */
  section(count: number, section: "answer" | "authority"): number {
    for (let i = 0; i < count; i++) {
      if (this.#isOver) return i;
      if (this.#record(section) < 0) return -1;
    }
    return count;
  }

  /** True where a message that may be short ends. */
  get #isOver(): boolean {
    return this.#isShort && this.at === this.#bytes.length;
  }

  /** Walks the additional section; returns the number of records before EDNS, -1 for a malformed one. */
  additional(count: number): number {
    const start = this.at;
    let included = 0;
    let end = -1;
    for (let i = 0; i < count && !this.#isOver; i++) {
      const owner = this.at;
      const type = this.#record("additional");
      if (type < 0) return -1;
      if (type !== TYPE.OPT) {
        // Names of later records could point into the part that is left out.
        if (end < 0) included++;
        continue;
      }
      if (end >= 0 || this.#bytes[owner] !== 0) return -1;
      end = owner;
      this.extendedCode = this.#bytes[owner + 5]!;
    }
    if (end >= 0) this.at = end;
    while (this.ttls.length > 0 && this.ttls.at(-1)! >= this.at) this.ttls.pop();
    return this.at === start ? 0 : included;
  }

  #record(section: "answer" | "authority" | "additional"): number {
    const bytes = this.#bytes;
    const head = skipName(bytes, this.at, bytes.length);
    if (head < 0 || head + 10 > bytes.length) return -1;
    const type = uint16(bytes, head);
    const data = head + 10;
    const end = data + uint16(bytes, head + 8);
    if (end > bytes.length || !dataFits(bytes, type, data, end)) return -1;
    if (bytes[this.at]! < 0xc0 && bytes[this.at]! > 0) this.owners.push(this.at);
    this.at = end;
    if (type === TYPE.OPT) return section === "additional" ? type : -1;
    this.ttls.push(head + 4);
    const raw = uint32(bytes, head + 4);
    // RFC 2181 8: with its highest bit set it counts as zero.
    const ttl = raw > 0x7fff_ffff ? 0 : raw;
    if (section === "answer") {
      this.least = Math.min(this.least, ttl);
      if (type === this.#queryType || this.#queryType === TYPE.ANY) this.positive = true;
      if (uint16(bytes, head + 2) === CLASS.IN) {
        if (type === TYPE.A || type === TYPE.AAAA) this.addressRanges.push(data, end - data);
        else if (type === TYPE.SVCB || type === TYPE.HTTPS) {
          hints(bytes, data, end, this.addressRanges);
        }
        if (type === TYPE.CNAME) this.aliases.push(data);
      }
    } else if (section === "authority" && type === TYPE.SOA) {
      this.negative = Math.min(ttl, uint32(bytes, end - 4));
    }
    return type;
  }
}

/** Parameters `ipv4hint` and `ipv6hint` (RFC 9460 7.3), which clients use like addresses. */
function hints(bytes: Uint8Array, data: number, end: number, addressRanges: number[]): void {
  let at = skipName(bytes, data + 2, end);
  while (at >= 0 && at + 4 <= end) {
    const key = uint16(bytes, at), to = at + 4 + uint16(bytes, at + 2);
    const size = key === 4 ? 4 : key === 6 ? 16 : 0;
    for (let i = at + 4; size > 0 && i + size <= Math.min(to, end); i += size) {
      addressRanges.push(i, size);
    }
    at = to;
  }
}

/** True when the data of a record fits its type; unknown types may have any (RFC 3597). */
function dataFits(bytes: Uint8Array, type: number, data: number, end: number): boolean {
  switch (type) {
    case TYPE.A:
      return end - data === 4;
    case TYPE.AAAA:
      return end - data === 16;
    case TYPE.NS:
    case TYPE.CNAME:
    case TYPE.PTR:
    case TYPE.DNAME:
      return skipName(bytes, data, end) === end;
    case TYPE.MX:
      return end - data > 2 && skipName(bytes, data + 2, end) === end;
    case TYPE.SRV:
      return end - data > 6 && skipName(bytes, data + 6, end) === end;
    case TYPE.SOA: {
      const first = skipName(bytes, data, end);
      const second = first < 0 ? -1 : skipName(bytes, first, end);
      return second >= 0 && second + 20 === end;
    }
    case TYPE.TXT:
      return textsFit(bytes, data, end);
    default:
      return true;
  }
}

/** Character strings (RFC 1035 3.3.14), at least one. */
function textsFit(bytes: Uint8Array, data: number, end: number): boolean {
  let at = data;
  while (at < end) at += bytes[at]! + 1;
  return at === end && end > data;
}
