import { ACK, FLAG, MESSAGE, MESSAGE_HEADER } from "./route/constants.ts";

/** Writing and reading netlink messages of any kind: headers, attributes, acknowledgements. */

/** A message to the kernel, before it has a number. */
export interface Request {
  readonly type: number;
  readonly flags: number;
  /** What stands before the attributes. */
  readonly body: Uint8Array;
  readonly attributes?: readonly (readonly number[])[];
}

/** A message of the kernel. */
export interface Message {
  readonly type: number;
  readonly flags: number;
  readonly sequence: number;
  /** All that follows the header. */
  readonly payload: Uint8Array;
}

/** Attributes by their type; those of a type from {@link MAX_ATTRIBUTE_TYPE} on are not kept. */
export type Attributes = readonly (Uint8Array | undefined)[];

/** Types of attributes that are looked at: more than any list of the kernel that is read here has. */
const MAX_ATTRIBUTE_TYPE = 64;
/** Attribute types carry flags in their two upper bits. */
const TYPE_BITS = 0x3fff;

/** The bytes of a message with its number. */
export function written(request: Request, sequence: number): Uint8Array<ArrayBuffer> {
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

/** Length, type, body, filled up to a multiple of four bytes. */
export function attribute(type: number, body: Iterable<number>): readonly number[] {
  const bytes = [...body];
  const length = 4 + bytes.length;
  const padding = Array<number>((4 - length % 4) % 4).fill(0);
  return [length & 255, length >> 8, type & 255, type >> 8, ...bytes, ...padding];
}

/** An attribute that holds others, without the flag that says so, which ip(8) leaves out as well. */
export function nest(
  type: number,
  attributes: readonly (readonly number[])[],
): readonly number[] {
  return attribute(type, attributes.flat());
}

/** A text with the zero that ends it. */
export function textAttribute(type: number, text: string): readonly number[] {
  return attribute(type, new TextEncoder().encode(`${text}\0`));
}

/** A number of four bytes. */
export function numberAttribute(type: number, value: number): readonly number[] {
  return attribute(type, [value & 255, value >> 8 & 255, value >> 16 & 255, value >>> 24]);
}

/**
 * Gives each message of a part to `take`, until that answers true. False where the part ends within a
 * message, or holds something that is none.
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

/** The attributes of a payload from an offset on; what does not fit ends them. */
export function attributesOf(payload: Uint8Array, from = 0): Attributes {
  const found: (Uint8Array | undefined)[] = [];
  eachAttribute(payload, from, (type, body) => {
    if (type < MAX_ATTRIBUTE_TYPE) found[type] = body;
  });
  return found;
}

/** Gives each attribute of a payload from an offset on to `take`; what does not fit ends them. */
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

/** A text attribute without the zero that ends it; null for none. */
export function textOf(body: Uint8Array | undefined): string | null {
  if (body === undefined) return null;
  const end = body.indexOf(0);
  return new TextDecoder().decode(end < 0 ? body : body.subarray(0, end));
}

/** An attribute of four bytes as a number from 0 on; null for none, or one that is shorter. */
export function numberOf(body: Uint8Array | undefined): number | null {
  if (body === undefined || body.length < 4) return null;
  return (body[0]! | body[1]! << 8 | body[2]! << 16 | body[3]! << 24) >>> 0;
}

/** What the kernel says of a request. */
export interface Verdict {
  /** The error's number; 0 for none. */
  readonly error: number;
  /** The kernel's own words; "" for none. */
  readonly words: string;
}

/** What an acknowledgement, or the last message of a list, says; null for another kind of message. */
export function verdictOf(message: Message): Verdict | null {
  const { type, payload, flags } = message;
  if (type !== MESSAGE.error && type !== MESSAGE.done) return null;
  const code = numberOf(payload);
  if (code === null) return type === MESSAGE.done ? { error: 0, words: "" } : null;
  const error = -(code | 0);
  const from = type === MESSAGE.done ? 4 : explanation(payload, flags);
  const explained = (flags & FLAG.explained) !== 0;
  const words = explained ? textOf(attributesOf(payload, from)[ACK.words]) : null;
  return { error: Math.max(0, error), words: words ?? "" };
}

/** Where an acknowledgement's attributes begin: behind the request's header, or the whole of it. */
function explanation(payload: Uint8Array, flags: number): number {
  const from = 4 + MESSAGE_HEADER;
  if ((flags & FLAG.capped) !== 0) return from;
  const length = numberOf(payload.subarray(4)) ?? MESSAGE_HEADER;
  return 4 + Math.max(MESSAGE_HEADER, (length + 3) & ~3);
}
