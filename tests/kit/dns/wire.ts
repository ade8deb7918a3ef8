/** DNS messages put together plainly, byte for byte as RFC 1035 4 draws them, to hold the resolver against. */

/** One record: data as bytes, or a name that is written without compression. */
export interface WireRecord {
  readonly name: string;
  readonly type: number;
  readonly ttl: number;
  readonly data: readonly number[];
  readonly class?: number;
}

/** What a message holds. */
export interface WireMessage {
  readonly id?: number;
  /** The second word of the header. */
  readonly flags?: number;
  readonly questions?: readonly { name: string; type: number; class?: number }[];
  readonly answers?: readonly WireRecord[];
  readonly authority?: readonly WireRecord[];
  readonly additional?: readonly WireRecord[];
}

const sixteen = (value: number): number[] => [value >> 8 & 255, value & 255];
const thirtyTwo = (value: number): number[] => [...sixteen(value >>> 16), ...sixteen(value)];

/** A name on the wire; dots part labels, nothing is escaped. */
export function wireName(name: string): number[] {
  const labels = name.split(".").filter((label) => label !== "");
  return [
    ...labels.flatMap((label) => [label.length, ...[...label].map((c) => c.charCodeAt(0))]),
    0,
  ];
}

/** A whole message. */
export function wireMessage(message: WireMessage): Uint8Array<ArrayBuffer> {
  const { questions = [], answers = [], authority = [], additional = [] } = message;
  const record = (one: WireRecord): number[] => [
    ...wireName(one.name),
    ...sixteen(one.type),
    ...sixteen(one.class ?? 1),
    ...thirtyTwo(one.ttl),
    ...sixteen(one.data.length),
    ...one.data,
  ];
  return Uint8Array.from([
    ...sixteen(message.id ?? 0x1234),
    ...sixteen(message.flags ?? 0x0100),
    ...[questions, answers, authority, additional].flatMap((list) => sixteen(list.length)),
    ...questions.flatMap((one) => [
      ...wireName(one.name),
      ...sixteen(one.type),
      ...sixteen(one.class ?? 1),
    ]),
    ...[...answers, ...authority, ...additional].flatMap(record),
  ]);
}

/** A plain question, recursion desired. */
export function wireQuery(name: string, type = 1, more: WireMessage = {}): Uint8Array<ArrayBuffer> {
  return wireMessage({ questions: [{ name, type }], ...more });
}

/** The EDNS record (RFC 6891 6.1.2) of a query. */
export function wireOpt(
  options: { size?: number; dnssec?: boolean; version?: number; data?: readonly number[] } = {},
): WireRecord {
  const { size = 1232, dnssec = false, version = 0, data = [] } = options;
  return {
    name: "",
    type: 41,
    class: size,
    ttl: version * 0x1_0000 + (dnssec ? 0x8000 : 0),
    data: [...data],
  };
}

/** An address record. */
export function wireA(name: string, address: string, ttl = 60): WireRecord {
  return { name, type: 1, ttl, data: address.split(".").map(Number) };
}

/** A record whose data is a name. */
export function wireAlias(name: string, target: string, ttl = 60, type = 5): WireRecord {
  return { name, type, ttl, data: wireName(target) };
}

/** A zone's SOA, whose last number is the TTL of a "no". */
export function wireSoa(zone: string, ttl: number, minimum: number): WireRecord {
  const numbers = [1, 7200, 3600, 86_400, minimum];
  return {
    name: zone,
    type: 6,
    ttl,
    data: [...wireName(`ns.${zone}`), ...wireName(`mail.${zone}`), ...numbers.flatMap(thirtyTwo)],
  };
}

/** A message read back, names without compression in lower case or as they are. */
export interface ReadMessage {
  readonly id: number;
  readonly flags: number;
  readonly code: number;
  readonly questions: readonly { name: string; type: number; class: number }[];
  readonly answers: readonly ReadRecord[];
  readonly authority: readonly ReadRecord[];
  readonly additional: readonly ReadRecord[];
}

export interface ReadRecord {
  readonly name: string;
  readonly type: number;
  readonly class: number;
  readonly ttl: number;
  /** Address or name where the type has one, else hexadecimal digits. */
  readonly data: string;
}

/** Reads a message plainly; throws where it is malformed or something is left over. */
export function readMessage(bytes: Uint8Array): ReadMessage {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 12;
  const readName = (start: number): [string, number] => {
    const labels: string[] = [];
    let next = -1;
    for (let offset = start, hops = 0;;) {
      const size = view.getUint8(offset);
      if (size === 0) return [labels.join("."), next < 0 ? offset + 1 : next];
      if (size >= 192) {
        if (++hops > 50) throw new Error("A loop of pointers");
        if (next < 0) next = offset + 2;
        offset = view.getUint16(offset) & 0x3fff;
        continue;
      }
      if (size > 63) throw new Error(`A label of type ${size >> 6}`);
      labels.push(String.fromCharCode(...bytes.subarray(offset + 1, offset + 1 + size)));
      offset += size + 1;
    }
  };
  const name = (): string => {
    const [text, end] = readName(at);
    at = end;
    return text;
  };
  const many = <T>(count: number, one: () => T): T[] => Array.from({ length: count }, one);
  const record = (): ReadRecord => {
    const owner = name();
    const type = view.getUint16(at), size = view.getUint16(at + 8), start = at + 10;
    const head = { name: owner, type, class: view.getUint16(at + 2), ttl: view.getUint32(at + 4) };
    at = start + size;
    if (at > bytes.length) throw new Error("A record beyond the end");
    const data = bytes.subarray(start, at);
    const text = type === 1
      ? data.join(".")
      : [2, 5, 12, 39].includes(type)
      ? readName(start)[0]
      : [...data].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    return { ...head, data: text };
  };
  const counts = [4, 6, 8, 10].map((offset) => view.getUint16(offset));
  const read: ReadMessage = {
    id: view.getUint16(0),
    flags: view.getUint16(2),
    code: view.getUint16(2) & 15,
    questions: many(counts[0]!, () => {
      const text = name();
      at += 4;
      return { name: text, type: view.getUint16(at - 4), class: view.getUint16(at - 2) };
    }),
    answers: many(counts[1]!, record),
    authority: many(counts[2]!, record),
    additional: many(counts[3]!, record),
  };
  if (at !== bytes.length) throw new Error(`${bytes.length - at} bytes are left over`);
  return read;
}
