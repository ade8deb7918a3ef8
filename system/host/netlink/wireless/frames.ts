import { Problem } from "../../../core/errors/problem.ts";
import { interfaceFacts, interfaceIndex } from "../../sockets/interface_facts.ts";
import {
  acknowledgementOf,
  attribute,
  attributesOf,
  eachMessage,
  encodeMessage,
  numberAttribute,
  textAttribute,
} from "../message.ts";
import { type Netlink, openNetlink, WIRELESS } from "../netlink.ts";
import { FLAG } from "../route/constants.ts";

/** A frame to a station; `to`: its MAC address. */
export interface OutgoingFrame {
  readonly kind: "action" | "deauthentication";
  readonly to: string;
  /** What follows the header. */
  readonly body: Uint8Array<ArrayBuffer>;
}

/** The controller of generic netlink, which knows the number of nl80211 (linux/genetlink.h). */
const CONTROLLER = 0x10, GET_FAMILY = 3, FAMILY_ID = 1, FAMILY_NAME = 2;
/** Of linux/nl80211.h. */
const CMD_FRAME = 59, ATTR_IFINDEX = 3, ATTR_FRAME = 51;
/** Bytes of struct genlmsghdr: command, version, and two that are reserved. */
const GENERIC_HEADER = 4;
/** First byte of the frame control field (IEEE 802.11-2020 table 9-1). */
const FRAME_CONTROL = { action: 0xd0, deauthentication: 0xc0 } as const;

/**
 * Sends a management frame through an interface of an access point. Through the interface that a
 * station has for itself, the kernel encrypts it for that station. Throws Problem 502 with the error
 * number where the kernel refuses, 503 where the interface is not there.
 */
export function sendFrame(link: string, frame: OutgoingFrame): void {
  const facts = interfaceFacts(link);
  const index = interfaceIndex(link);
  if (facts === null || index === 0) throw new Problem(503, `${link} is not there`);
  const netlink = openNetlink(WIRELESS);
  try {
    const family = familyOf(netlink);
    const attributes = [
      numberAttribute(ATTR_IFINDEX, index),
      attribute(ATTR_FRAME, frameBytes(facts.mac, frame)),
    ];
    const error = netlink.request(
      (sequence) => request(family, CMD_FRAME, attributes, sequence),
      errorOf,
    );
    if (error !== 0) throw new Problem(502, `${link} sends no frame: error ${error} of the kernel`);
  } finally {
    netlink.close();
  }
}

/** A whole frame of an access point; it and its network have one address. */
export function frameBytes(from: string, { kind, to, body }: OutgoingFrame): readonly number[] {
  const address = (mac: string): Uint8Array => Uint8Array.fromHex(mac.replaceAll(":", ""));
  return [
    ...[FRAME_CONTROL[kind], 0],
    // Duration, which the kernel sets.
    ...[0, 0],
    ...address(to),
    ...address(from),
    ...address(from),
    // Sequence, which the kernel sets as well.
    ...[0, 0],
    ...body,
  ];
}

function request(
  type: number,
  command: number,
  attributes: readonly (readonly number[])[],
  sequence: number,
): Uint8Array<ArrayBuffer> {
  const body = new Uint8Array(GENERIC_HEADER);
  body[0] = command;
  body[1] = 1;
  return encodeMessage({ type, flags: FLAG.ack, body, attributes }, sequence);
}

function familyOf(netlink: Netlink): number {
  let family: number | null = null;
  const error = netlink.request(
    (sequence) =>
      request(CONTROLLER, GET_FAMILY, [textAttribute(FAMILY_NAME, "nl80211")], sequence),
    (answer, sequence) => {
      eachMessage(answer, (message) => {
        if (message.type !== CONTROLLER || message.sequence !== sequence) return;
        const id = attributesOf(message.payload, GENERIC_HEADER)[FAMILY_ID];
        if (id !== undefined) family = id[0]! | id[1]! << 8;
      });
      return errorOf(answer, sequence);
    },
  );
  if (family === null || error !== 0) throw new Problem(503, "The kernel has no Wi-Fi");
  return family;
}

/** The error number with which the kernel acknowledged a request; null for another message. */
function errorOf(answer: Uint8Array, sequence: number): number | null {
  let error: number | null = null;
  eachMessage(answer, (message) => {
    if (message.sequence === sequence) error ??= acknowledgementOf(message)?.error ?? null;
  });
  return error;
}
