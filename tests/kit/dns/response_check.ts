// @ts-types="@types/dns-packet"
import packet from "dns-packet";
import { Buffer } from "node:buffer";
import { readMessage } from "./wire.ts";

const word = (bytes: Uint8Array, at: number): number => bytes[at]! << 8 | bytes[at + 1]!;

/** Where the only question of a message ends; 0 when there is not one, or it is not whole. */
function questionEnd(bytes: Uint8Array): number {
  if (bytes.length < 12 || word(bytes, 4) !== 1) return 0;
  let at = 12;
  while (at < bytes.length && bytes[at]! !== 0) {
    if (bytes[at]! > 63) return 0;
    at += bytes[at]! + 1;
  }
  return at + 5 <= bytes.length && at + 1 - 12 <= 255 ? at + 5 : 0;
}

/**
 * What is wrong with an answer to a question, in words; null when nothing is. It must be read by the
 * codec to its last byte, be of that question in that letter case, and fit where it goes. `isForeign`:
 * the data of its records may be of someone who wrote nonsense.
 */
export function responseError(
  query: Uint8Array,
  answer: Uint8Array,
  { stream, isForeign = false }: { readonly stream: boolean; readonly isForeign?: boolean },
): string | null {
  if (answer.length < 12) return `only ${answer.length} bytes`;
  if (word(answer, 0) !== word(query, 0)) return "another id";
  const flags = word(answer, 2);
  if ((flags & 0x8000) === 0) return "no answer but a question";
  if ((flags & 0x7800) !== (word(query, 2) & 0x7800)) return "another opcode";
  if ((flags & 0x0040) !== 0) return "a flag that nobody knows";
  const end = questionEnd(query);
  if (word(answer, 4) === 1) {
    const same = end > 0 &&
      answer.subarray(12, end).every((byte, at) => byte === query[12 + at]);
    if (!same) return "another question";
  } else if (word(answer, 4) !== 0) return `${word(answer, 4)} questions`;
  else if ((flags & 0x0f) === 0) return "no question, but no error";
  let read: packet.DecodedPacket;
  try {
    read = packet.decode(Buffer.from(answer));
  } catch (error) {
    // Of the data of records it knows more types than a resolver must look into (RFC 3597).
    if (isForeign && canBeWalked(answer)) return null;
    return `not to be read: ${error instanceof Error ? error.message : error}`;
  }
  if (packet.decode.bytes !== answer.length) return "more bytes than it says";
  return sizeError(query, answer, read, stream);
}

function canBeWalked(answer: Uint8Array): boolean {
  try {
    readMessage(answer);
    return true;
  } catch {
    return false;
  }
}

function sizeError(
  query: Uint8Array,
  answer: Uint8Array,
  read: packet.DecodedPacket,
  stream: boolean,
): string | null {
  const optOf = (message: packet.DecodedPacket) =>
    message.additionals?.filter(({ type }) => type === "OPT") as packet.OptAnswer[] ?? [];
  const options = optOf(read);
  if (options.length > 1) return "two records of EDNS";
  let edns: packet.OptAnswer | undefined;
  try {
    edns = optOf(packet.decode(Buffer.from(query)))[0];
  } catch {
    // What the codec cannot read may have any form; the bound is the widest.
    return answer.length <= 1232 || stream ? null : `${answer.length} bytes`;
  }
  if (options.length > 0 && edns === undefined) return "EDNS to who does not speak it";
  if (options[0] !== undefined && options[0].ednsVersion !== 0) return "another version of EDNS";
  const room = stream ? 65_535 : Math.max(512, Math.min(1232, edns?.udpPayloadSize ?? 512));
  return answer.length <= room ? null : `${answer.length} bytes where ${room} fit`;
}
