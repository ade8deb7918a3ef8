import {
  addressBytes,
  MESSAGE,
  type MessageType,
  OPTION,
} from "../../../system/dhcp/server/packet.ts";
import { parseIpv4 } from "../../../system/core/net/net.ts";

/** Fields of a client's message. */
export interface ClientFields {
  readonly type: MessageType;
  readonly mac?: string;
  readonly xid?: number;
  readonly broadcast?: boolean;
  readonly ciaddr?: string;
  readonly requested?: string;
  readonly server?: string;
  readonly options?: readonly (readonly [number, Uint8Array])[];
}

/** Encodes a client's message, independently of the tested codec. */
export function clientMessage(fields: ClientFields): Uint8Array<ArrayBuffer> {
  const options = [
    [OPTION.messageType, Uint8Array.of(fields.type)] as const,
    ...(fields.requested
      ? [[OPTION.requestedAddress, addressBytes(fields.requested)] as const]
      : []),
    ...(fields.server ? [[OPTION.serverId, addressBytes(fields.server)] as const] : []),
    ...fields.options ?? [],
  ].flatMap(([code, value]) => [code, value.length, ...value]);
  const bytes = new Uint8Array(240 + options.length + 1);
  const view = new DataView(bytes.buffer);
  bytes.set([1, 1, 6, 0]);
  view.setUint32(4, fields.xid ?? 0x12345678);
  view.setUint16(10, fields.broadcast ? 0x8000 : 0);
  view.setUint32(12, parseIpv4(fields.ciaddr ?? "0.0.0.0") ?? 0);
  bytes.set((fields.mac ?? "02:00:00:00:0a:01").split(":").map((pair) => parseInt(pair, 16)), 28);
  view.setUint32(236, 0x63825363);
  bytes.set([...options, 255], 240);
  return bytes;
}

/** A server's reply as a client reads it. */
export interface ServerMessage {
  readonly type: number;
  readonly xid: number;
  readonly yiaddr: string;
  readonly mac: string;
  /** Values in hexadecimal, by code. */
  readonly options: Readonly<Record<number, string>>;
}

/** Decodes a server's reply. */
export function serverAnswer(bytes: Uint8Array): ServerMessage {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const options: Record<number, string> = {};
  for (let at = 240; bytes[at] !== 255; at += 2 + bytes[at + 1]!) {
    options[bytes[at]!] = bytes.subarray(at + 2, at + 2 + bytes[at + 1]!).toHex();
  }
  return {
    type: parseInt(options[OPTION.messageType]!, 16),
    xid: view.getUint32(4),
    yiaddr: [...bytes.subarray(16, 20)].join("."),
    mac: [...bytes.subarray(28, 34)].map((byte) => byte.toString(16).padStart(2, "0")).join(":"),
    options,
  };
}

/** The message types by name, for tests. */
export { MESSAGE };
