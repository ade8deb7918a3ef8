import { ACK, FLAG, MESSAGE, MESSAGE_HEADER } from "./route/constants.ts";

/** Encoding and decoding of netlink messages: headers, attributes, acknowledgements. */

/** A message to the kernel, without its sequence number. */
export interface Request {
  readonly type: number;
  readonly flags: number;
  /** The fixed header of the family, before the attributes. */
  readonly body: Uint8Array;
  readonly attributes?: readonly (readonly number[])[];
}

/** A message of the kernel. */
export interface Message {
  readonly type: number;
  readonly flags: number;
  readonly sequence: number;
  /** Everything after the header. */
  readonly payload: Uint8Array;
}

/** Attributes by their type; those of a type from {@link MAX_ATTRIBUTE_TYPE} on are ignored. */
export type Attributes = readonly (Uint8Array | undefined)[];

/** More than any message that is read here has. */
const MAX_ATTRIBUTE_TYPE = 64;
/** Attribute types carry flags in their two upper bits. */
const TYPE_BITS = 0x3fff;

/** The bytes of a message with its sequence number. */
export function encodeMessage(request: Request, sequence: number): Uint8Array<ArrayBuffer> {
  const attributes = (request.attributes ?? []).flat();
  const length = MESSAGE_HEADER + request.body.length + attributes.length;
  const message = new Uint8Array(length);
  const view = new DataView(message.buffer);
  view.setUint32(0, length, true);
  view.setUint16(4, request.type, true);
  view.setUint16(6, FLAG.request | request.flags, true);
  view.setUint32(8, sequence, true);
  message.set(request.body, MESSAGE_HEADER);
  message.set(attributes, MESSAGE_HEADER + request.body.length);
  return message;
}

/** Length, type and body, padded to a multiple of four bytes. */
export function attribute(type: number, body: Iterable<number>): readonly number[] {
  const bytes = [...body];
  const length = 4 + bytes.length;
  const padding = Array<number>((4 - length % 4) % 4).fill(0);
  return [length & 255, length >> 8, type & 255, type >> 8, ...bytes, ...padding];
}

/** A nested attribute, without NLA_F_NESTED, as ip(8) sends it. */
export function nestedAttribute(
  type: number,
  attributes: readonly (readonly number[])[],
): readonly number[] {
  return attribute(type, attributes.flat());
}

/** A zero-terminated text. */
export function textAttribute(type: number, text: string): readonly number[] {
  return attribute(type, new TextEncoder().encode(`${text}\0`));
}

/** A number of four bytes. */
export function numberAttribute(type: number, value: number): readonly number[] {
  return attribute(type, [value & 255, value >> 8 & 255, value >> 16 & 255, value >>> 24]);
}

/**
 * Passes each message of a part to `take` until that returns true. False where the part is truncated or
 * malformed.
 */
export function eachMessage(
  part: Uint8Array,
  take: (message: Message) => boolean | void,
): boolean {
  const view = new DataView(part.buffer, part.byteOffset, part.byteLength);
  let at = 0;
  while (at + MESSAGE_HEADER <= part.length) {
    const length = view.getUint32(at, true);
    if (length < MESSAGE_HEADER || at + length > part.length) return false;
    const end = take({
      type: view.getUint16(at + 4, true),
      flags: view.getUint16(at + 6, true),
      sequence: view.getUint32(at + 8, true),
      payload: part.subarray(at + MESSAGE_HEADER, at + length),
    });
    if (end === true) return true;
    at += (length + 3) & ~3;
  }
  return at >= part.length;
}

/** The attributes of a payload from an offset on, up to the first malformed one. */
export function attributesOf(payload: Uint8Array, from = 0): Attributes {
  const found: (Uint8Array | undefined)[] = [];
  eachAttribute(payload, from, (type, body) => {
    if (type < MAX_ATTRIBUTE_TYPE) found[type] = body;
  });
  return found;
}

/**
 * Where the attributes of a payload begin and end, by their type: for messages of which there are many,
 * without an object for each attribute.
 */
export class AttributePlaces {
  readonly #starts = new Uint16Array(MAX_ATTRIBUTE_TYPE);
  readonly #ends = new Uint16Array(MAX_ATTRIBUTE_TYPE);
  #payload: Uint8Array = new Uint8Array();

  /** Looks at another payload, from an offset on, up to the first malformed attribute. */
  read(payload: Uint8Array, from: number): void {
    this.#payload = payload;
    this.#starts.fill(0);
    for (let at = from; at + 4 <= payload.length;) {
      const length = payload[at]! | payload[at + 1]! << 8;
      if (length < 4 || at + length > payload.length) return;
      const type = (payload[at + 2]! | payload[at + 3]! << 8) & TYPE_BITS;
      if (type < MAX_ATTRIBUTE_TYPE) {
        this.#starts[type] = at + 4;
        this.#ends[type] = at + length;
      }
      at += (length + 3) & ~3;
    }
  }

  /** What {@link numberOf} gives of an attribute. */
  number(type: number): number | null {
    const start = this.#starts[type]!, bytes = this.#payload;
    if (start === 0 || this.#ends[type]! < start + 4) return null;
    return (bytes[start]! | bytes[start + 1]! << 8 | bytes[start + 2]! << 16 |
      bytes[start + 3]! << 24) >>> 0;
  }

  /** The body of an attribute; undefined for none. */
  get(type: number): Uint8Array | undefined {
    const start = this.#starts[type]!;
    return start === 0 ? undefined : this.#payload.subarray(start, this.#ends[type]!);
  }
}

/** Passes each attribute of a payload from an offset on to `take`, up to the first malformed one. */
export function eachAttribute(
  payload: Uint8Array,
  from: number,
  take: (type: number, body: Uint8Array) => void,
): void {
  for (let at = from; at + 4 <= payload.length;) {
    const length = payload[at]! | payload[at + 1]! << 8;
    if (length < 4 || at + length > payload.length) return;
    take(
      (payload[at + 2]! | payload[at + 3]! << 8) & TYPE_BITS,
      payload.subarray(at + 4, at + length),
    );
    at += (length + 3) & ~3;
  }
}

const DECODER = new TextDecoder();

/** A text attribute without its terminating zero; null for none. */
export function textOf(body: Uint8Array | undefined): string | null {
  if (body === undefined) return null;
  let text = "";
  // Names are short and nearly always ASCII: a decoder takes longer to call than this.
  for (let at = 0; at < body.length && body[at] !== 0; at++) {
    const byte = body[at]!;
    if (byte > 0x7f) return decoded(body);
    text += String.fromCharCode(byte);
  }
  return text;
}

function decoded(body: Uint8Array): string {
  const end = body.indexOf(0);
  return DECODER.decode(end < 0 ? body : body.subarray(0, end));
}

/** An attribute of four bytes as an unsigned number; null for none, or one that is shorter. */
export function numberOf(body: Uint8Array | undefined): number | null {
  if (body === undefined || body.length < 4) return null;
  return (body[0]! | body[1]! << 8 | body[2]! << 16 | body[3]! << 24) >>> 0;
}

/** The kernel's acknowledgement of a request. */
export interface Acknowledgement {
  /** The error number; 0 for none. */
  readonly error: number;
  /** The kernel's error message; "" for none. */
  readonly message: string;
}

/** The content of an acknowledgement, or of the end of a list; null for another kind of message. */
export function acknowledgementOf(message: Message): Acknowledgement | null {
  const { type, payload, flags } = message;
  if (type !== MESSAGE.error && type !== MESSAGE.done) return null;
  const code = numberOf(payload);
  if (code === null) return type === MESSAGE.done ? { error: 0, message: "" } : null;
  const error = -(code | 0);
  const from = type === MESSAGE.done ? 4 : attributesOffset(payload, flags);
  const explained = (flags & FLAG.explained) !== 0;
  const text = explained ? textOf(attributesOf(payload, from)[ACK.text]) : null;
  return { error: Math.max(0, error), message: text ?? "" };
}

/** Where an acknowledgement's attributes begin: after the request's header, or the whole request. */
function attributesOffset(payload: Uint8Array, flags: number): number {
  const from = 4 + MESSAGE_HEADER;
  if ((flags & FLAG.capped) !== 0) return from;
  const length = numberOf(payload.subarray(4)) ?? MESSAGE_HEADER;
  return 4 + Math.max(MESSAGE_HEADER, (length + 3) & ~3);
}
