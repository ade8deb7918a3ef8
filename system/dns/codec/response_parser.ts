import type { StoredResponse } from "./response_encoder.ts";
import { addressText } from "./address_data.ts";
import { lower, skipName } from "./name.ts";
import { CLASS, FLAG, HEADER_BYTES, RCODE, TYPE, uint16, uint32 } from "./constants.ts";

/** Longest time that an answer is kept, in seconds, whatever it says of itself (RFC 8767 4: a day to a week). */
const MAX_TTL_S = 86_400;
/** Longest time that a "no" is kept, in seconds (RFC 2308 5: one to three hours). */
const MAX_NEGATIVE_TTL_S = 3600;

const NONE: readonly number[] = [];

/** An upstream's answer, read and found whole. */
export interface ParsedResponse extends StoredResponse {
  readonly truncated: boolean;
  /** Seconds that it may be kept; 0 not at all. */
  readonly ttl: number;
  /** Addresses among its answers, as texts; made anew at each look. */
  readonly addresses: readonly string[];
  /** Where those addresses stand, each as its offset and its size, four or sixteen. */
  readonly addressRanges: readonly number[];
  /** Where the names stand that its answers lead over (CNAME), in their order. */
  readonly aliases: readonly number[];
}

/**
 * Reads an upstream's answer: walks every record, and refuses (null) what is malformed anywhere, so
 * that nothing broken is kept or passed on. EDNS is left out, and everything after it. `believed`:
 * whether it may say that signatures were checked, which is worth what the way there is (RFC 4035
 * 4.9.3). Nothing of the message itself is kept.
 */
export function parseResponse(message: Uint8Array, believed = true): ParsedResponse | null {
  if (message.length < HEADER_BYTES || uint16(message, 4) !== 1) return null;
  const flags = uint16(message, 2);
  const question = skipName(message, HEADER_BYTES, message.length);
  if ((flags & FLAG.QR) === 0 || question < 0 || question + 4 > message.length) return null;
  const walk = new Walk(message, question + 4);
  const answers = uint16(message, 6), authority = uint16(message, 8), records = uint16(message, 10);
  if (!walk.section(answers, true)) return null;
  const answersEnd = walk.at;
  if (!walk.section(authority, false)) return null;
  const additional = walk.additional(records);
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
    authentic: believed && (flags & FLAG.AD) !== 0,
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

/** The addresses of an answer, as texts. */
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

/** A copy of an answer that nobody else changes. */
export function copyResponse(reply: ParsedResponse): ParsedResponse {
  const { ttls, ttlCount, addressRanges, aliases } = reply;
  const walked = { ttls: ttls.slice(0, ttlCount), addressRanges, aliases };
  return new WalkedResponse(reply.bytes.slice(0, reply.size), walked, reply);
}

/**
 * Writes the owner of a record in lower case where it is the name that was asked for, written out: it
 * has the random letter case of the question then, which is nobody else's business. `end`: of the
 * question's name.
 */
function lowerOwner(bytes: Uint8Array, owner: number, end: number): void {
  const length = end - HEADER_BYTES;
  if (owner + length > bytes.length) return;
  for (let i = 0; i < length; i++) {
    if (lower(bytes[owner + i]!) !== lower(bytes[HEADER_BYTES + i]!)) return;
  }
  for (let i = 0; i < length; i++) bytes[owner + i] = lower(bytes[owner + i]!);
}

/** How long an answer may be kept: its least TTL, or for a "no" what its SOA says (RFC 2308 5). */
function cacheTtl(code: number, positive: boolean, walk: Walk): number {
  if (code === RCODE.NOERROR && positive) return Math.min(walk.least, MAX_TTL_S);
  if (code !== RCODE.NOERROR && code !== RCODE.NXDOMAIN) return 0;
  return Math.min(walk.negative, walk.least, MAX_NEGATIVE_TTL_S);
}

/** One pass over the records of a message. */
class Walk {
  at: number;
  /** Least TTL of the answers. */
  least = Infinity;
  /** What the SOA of the authority section allows a "no"; 0 without one. */
  negative = 0;
  /** True when an answer is of the type that was asked, or all were asked for. */
  positive = false;
  extendedCode = 0;
  readonly ttls: number[] = [];
  readonly addressRanges: number[] = [];
  readonly aliases: number[] = [];
  /** Where owners of records stand that are written out. */
  readonly owners: number[] = [];
  readonly #bytes: Uint8Array;
  readonly #asked: number;

  constructor(bytes: Uint8Array, start: number) {
    this.#bytes = bytes;
    this.at = start;
    this.#asked = uint16(bytes, start - 4);
  }

  section(count: number, answers: boolean): boolean {
    for (let i = 0; i < count; i++) {
      if (this.#record(answers ? "answer" : "authority") < 0) return false;
    }
    return true;
  }

  /** The additional section up to EDNS, or -1; answers how many records are kept. */
  additional(count: number): number {
    const start = this.at;
    let kept = 0;
    let end = -1;
    for (let i = 0; i < count; i++) {
      const owner = this.at;
      const type = this.#record("additional");
      if (type < 0) return -1;
      if (type !== TYPE.OPT) {
        // Names of later records could point into what is left out.
        if (end < 0) kept++;
        continue;
      }
      if (end >= 0 || this.#bytes[owner] !== 0) return -1;
      end = owner;
      this.extendedCode = this.#bytes[owner + 5]!;
    }
    if (end >= 0) this.at = end;
    while (this.ttls.length > 0 && this.ttls.at(-1)! >= this.at) this.ttls.pop();
    return this.at === start ? 0 : kept;
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
      if (type === this.#asked || this.#asked === TYPE.ANY) this.positive = true;
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

/** Parameters `ipv4hint` and `ipv6hint` (RFC 9460 7.3): as good as addresses to those who use them. */
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

/** True when the data of a record is as its type wants it; of unknown types nothing is asked (RFC 3597). */
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

/** Texts behind their lengths (RFC 1035 3.3.14), one at least. */
function textsFit(bytes: Uint8Array, data: number, end: number): boolean {
  let at = data;
  while (at < end) at += bytes[at]! + 1;
  return at === end && end > data;
}
