import { formatAddress } from "../../../core/net/net.ts";
import { nameText, skipName } from "../../codec/name.ts";
import { HEADER_BYTES, TYPE, uint16, uint32 } from "../../codec/constants.ts";
import { MAX_MESSAGE_BYTES } from "./format.ts";
import type { LogAnswer } from "../schema.ts";

/** Answer records that are decoded; more add nothing to an entry. */
const MAX_RECORDS = 32;
/** Bytes of a record's data that are decoded as text. */
const MAX_TEXT_BYTES = 512;

/** The decoded answer section of a response. */
export interface AnswerSection {
  /** Response code without its extended bits (RFC 1035 4.1.1). */
  readonly rcode: number;
  readonly answers: readonly LogAnswer[];
  /** Data of the first record as in a zone file; "" for none. */
  readonly first: string;
}

/** Decodes the answer records of a message up to the first truncated or malformed one. Never throws. */
export function readAnswers(message: Uint8Array): AnswerSection {
  const rcode = uint16(message, 2) & 0xf;
  const answers: LogAnswer[] = [];
  let first = "";
  let at = HEADER_BYTES;
  for (let i = uint16(message, 4); i > 0 && at > 0; i--) {
    at = skipName(message, at, message.length);
    if (at > 0) at += 4;
  }
  for (let i = Math.min(uint16(message, 6), MAX_RECORDS); i > 0 && at > 0; i--) {
    const after = skipName(message, at, message.length);
    if (after < 0 || after + 10 > message.length) break;
    const length = uint16(message, after + 8);
    const start = after + 10;
    const type = uint16(message, after);
    const whole = start + length <= message.length;
    // The last record of a truncated message is decoded as far as it was stored.
    if (!whole && message.length < MAX_MESSAGE_BYTES) break;
    const end = Math.min(start + length, message.length);
    const fields = fieldsOf(message, { type, start, end });
    answers.push({
      Hdr: {
        Name: nameText(message, at),
        Rrtype: type,
        Class: uint16(message, after + 2),
        Ttl: uint32(message, after + 4),
        Rdlength: length,
      },
      ...fields,
    });
    if (answers.length === 1) first = textOf(fields);
    at = whole ? start + length : -1;
  }
  return { rcode, answers, first };
}

interface Data {
  readonly type: number;
  readonly start: number;
  readonly end: number;
}

type Fields = Readonly<Record<string, string | number | readonly string[]>>;

function fieldsOf(bytes: Uint8Array, { type, start, end }: Data): Fields {
  const length = end - start;
  const name = (at: number): string | null =>
    skipName(bytes, at, end) < 0 ? null : nameText(bytes, at);
  const named = (key: string, skip = 0): Fields | null => {
    const text = name(start + skip);
    return text === null || length < skip + 1 ? null : { [key]: text };
  };
  let fields: Fields | null = null;
  if (type === TYPE.A && length === 4) fields = { A: address(bytes, start, 4) };
  else if (type === TYPE.AAAA && length === 16) fields = { AAAA: address(bytes, start, 16) };
  else if (type === TYPE.CNAME || type === TYPE.DNAME) fields = named("Target");
  else if (type === TYPE.PTR) fields = named("Ptr");
  else if (type === TYPE.NS) fields = named("Ns");
  else if (type === TYPE.MX) {
    fields = withFields({ Preference: uint16(bytes, start) }, named("Mx", 2));
  } else if (type === TYPE.SRV) {
    const [Priority, Weight, Port] = [0, 2, 4].map((at) => uint16(bytes, start + at));
    fields = withFields({ Priority: Priority!, Weight: Weight!, Port: Port! }, named("Target", 6));
  } else if (type === TYPE.HTTPS || type === TYPE.SVCB) {
    fields = withFields({ Priority: uint16(bytes, start) }, named("Target", 2));
  } else if (type === TYPE.TXT) fields = { Txt: strings(bytes, start, end) };
  else if (type === TYPE.HINFO) {
    const [Cpu = "", Os = ""] = strings(bytes, start, end);
    fields = { Cpu, Os };
  } else if (type === TYPE.SOA) fields = soaFields(bytes, start, end);
  return fields ?? { Data: hex(bytes.subarray(start, Math.min(end, start + MAX_TEXT_BYTES / 2))) };
}

function withFields(fields: Fields, rest: Fields | null): Fields | null {
  return rest === null ? null : { ...fields, ...rest };
}

function soaFields(bytes: Uint8Array, start: number, end: number): Fields | null {
  const mailbox = skipName(bytes, start, end);
  const numbers = mailbox < 0 ? -1 : skipName(bytes, mailbox, end);
  if (numbers < 0 || numbers + 20 > end) return null;
  return {
    Ns: nameText(bytes, start),
    Mbox: nameText(bytes, mailbox),
    Serial: uint32(bytes, numbers),
    Refresh: uint32(bytes, numbers + 4),
    Retry: uint32(bytes, numbers + 8),
    Expire: uint32(bytes, numbers + 12),
    Minttl: uint32(bytes, numbers + 16),
  };
}

function address(bytes: Uint8Array, start: number, length: 4 | 16): string {
  let value = 0n;
  for (let i = 0; i < length; i++) value = value << 8n | BigInt(bytes[start + i]!);
  return formatAddress({ family: length === 4 ? 4 : 6, value });
}

/** Character strings (RFC 1035 3.3), as far as {@link MAX_TEXT_BYTES} reaches. */
function strings(bytes: Uint8Array, start: number, end: number): readonly string[] {
  const list: string[] = [];
  let room = MAX_TEXT_BYTES;
  for (let at = start; at < end && room > 0;) {
    const next = Math.min(end, at + 1 + bytes[at]!);
    const text = bytes.subarray(at + 1, Math.min(next, at + 1 + room));
    // The data is arbitrary; no byte may have a meaning for a page that shows it.
    list.push(String.fromCharCode(...text).replaceAll(/[^\x20-\x7e]/g, "?"));
    room -= text.length + 1;
    at = next;
  }
  return list;
}

function hex(bytes: Uint8Array): string {
  return bytes.toHex();
}

function textOf(fields: Fields): string {
  return Object.values(fields)
    .map((value) => Array.isArray(value) ? value.map((text) => `"${text}"`).join(" ") : value)
    .join(" ").trim();
}
