/** Record types (RFC 1035 3.2) that are read or written. */
export const TYPE = { a: 1, ptr: 12, txt: 16, any: 255 } as const;
const IN = 1;
/** Top bit of a class: unicast response in a question, cache flush in a record (RFC 6762). */
const TOP_BIT = 0x8000;
/** TTL of our address records, in seconds (RFC 6762 10). */
const TTL_SECONDS = 120;
/** Maximum number of records of a message. */
const MAX_RECORDS = 128;

/** A question of a message. */
export interface Question {
  /** Lower case, without the last dot. */
  readonly name: string;
  readonly type: number;
}

/** A record of a message: an address where it is an A, a name where it is a PTR, texts of a TXT. */
export interface DnsRecord {
  readonly name: string;
  readonly type: number;
  /** IPv4 of an A record. */
  readonly address?: number;
  /** What a PTR points to. */
  readonly target?: string;
  /** Character strings of a TXT record (RFC 1035 3.3.14), one character a byte. */
  readonly texts?: readonly string[];
}

/** A parsed message (RFC 1035 4.1). */
export interface DnsMessage {
  readonly id: number;
  readonly isResponse: boolean;
  readonly questions: readonly Question[];
  /** Answers, authority and additional records, in this order. */
  readonly records: readonly DnsRecord[];
}

/** Parses a message; null when malformed. Never reads out of bounds, and always ends. */
export function parseMessage(bytes: Uint8Array): DnsMessage | null {
  try {
    return readMessage(bytes);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function readMessage(bytes: Uint8Array): DnsMessage | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const flags = view.getUint16(2);
  const questionCount = view.getUint16(4);
  const recordCount = view.getUint16(6) + view.getUint16(8) + view.getUint16(10);
  if (questionCount + recordCount > MAX_RECORDS) return null;
  let at = 12;
  const questions: Question[] = [];
  for (let i = 0; i < questionCount; i++) {
    const name = readName(view, at);
    questions.push({ name: name.text, type: view.getUint16(name.end) });
    at = name.end + 4;
    if (at > bytes.length) return null;
  }
  const records: DnsRecord[] = [];
  for (let i = 0; i < recordCount; i++) {
    const name = readName(view, at);
    const type = view.getUint16(name.end);
    const length = view.getUint16(name.end + 8);
    const data = name.end + 10;
    at = data + length;
    if (at > bytes.length) return null;
    records.push({
      name: name.text,
      type,
      ...(type === TYPE.a && length === 4 ? { address: view.getUint32(data) } : {}),
      ...(type === TYPE.ptr ? { target: readName(view, data).text } : {}),
      ...(type === TYPE.txt ? { texts: readTexts(bytes.subarray(data, at)) } : {}),
    });
  }
  return { id: view.getUint16(0), isResponse: (flags & 0x8000) !== 0, questions, records };
}

/** The texts up to one that is longer than its record. */
function readTexts(data: Uint8Array): readonly string[] {
  const texts: string[] = [];
  for (let at = 0; at < data.length; at += data[at]! + 1) {
    const end = at + 1 + data[at]!;
    if (end > data.length) break;
    texts.push(String.fromCharCode(...data.subarray(at + 1, end)));
  }
  return texts;
}

/** A compressed name (RFC 1035 4.1.4): pointers may only point backwards, so that parsing ends. */
function readName(view: DataView, start: number): { text: string; end: number } {
  const labels: string[] = [];
  let at = start, end = -1, least = start, size = 0;
  for (;;) {
    const length = view.getUint8(at);
    if (length >= 0xc0) {
      const target = view.getUint16(at) & 0x3fff;
      if (target >= least) throw new RangeError("A name points forward");
      if (end < 0) end = at + 2;
      at = least = target;
      continue;
    }
    if (length > 63) throw new RangeError("A label is too long");
    if (length === 0) return { text: labels.join("."), end: end < 0 ? at + 1 : end };
    size += length + 1;
    if (size > 255) throw new RangeError("A name is too long");
    let label = "";
    for (let i = 1; i <= length; i++) label += String.fromCharCode(view.getUint8(at + i));
    labels.push(label.toLowerCase());
    at += length + 1;
  }
}

/** A response with our addresses (RFC 6762 6); `flush`: the name is unique to us. */
export function addressResponse(
  name: string,
  addresses: readonly number[],
  options: { readonly flush: boolean; readonly id?: number } = { flush: true },
): Uint8Array<ArrayBuffer> {
  const records = addresses.flatMap((address) =>
    addressRecord(name, address, options.flush ? IN | TOP_BIT : IN)
  );
  // QR and AA.
  return message([options.id ?? 0, 0x8400, 0, addresses.length, 0, 0], records);
}

/** A probe for a name, with the proposed records (RFC 6762 8.1, 8.2). */
export function probeQuery(name: string, addresses: readonly number[]): Uint8Array<ArrayBuffer> {
  const question = [...writeName(name), ...short(TYPE.any), ...short(IN)];
  const records = addresses.flatMap((address) => addressRecord(name, address, IN));
  return message([0, 0, 1, 0, addresses.length, 0], [...question, ...records]);
}

function message(header: readonly number[], body: readonly number[]): Uint8Array<ArrayBuffer> {
  return Uint8Array.from([...header.flatMap(short), ...body]);
}

function addressRecord(name: string, address: number, inClass: number): number[] {
  return [
    ...[...writeName(name), ...short(TYPE.a), ...short(inClass)],
    ...[...short(0), ...short(TTL_SECONDS), ...short(4)],
    ...[...short(address >>> 16), ...short(address & 0xffff)],
  ];
}

function writeName(name: string): number[] {
  const labels = name.split(".").flatMap((
    label,
  ) => [label.length, ...new TextEncoder().encode(label)]);
  return [...labels, 0];
}

function short(value: number): number[] {
  return [value >>> 8 & 255, value & 255];
}
