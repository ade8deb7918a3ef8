import * as z from "zod";
import { InterfaceName, Ip } from "../net/grammar.ts";
import { formatAddress, parseAddress } from "../net/net.ts";

/** Questions of one ping. */
export const PING_COUNT = 4;
/** Milliseconds for which each answer is waited for. */
export const PING_TIMEOUT_MS = 1000;

const UNICAST_ONLY = "Use the IP address of one host, such as 192.0.2.1; names are not resolved";

/** One machine's address. A name would be looked up, an address of many be answered by many. */
export const Target = Ip.refine((text) => !isNotUnicast(text), { error: UNICAST_ONLY }).transform(
  (text) => {
    const address = parseAddress(text);
    return address === null ? text : formatAddress(address);
  },
);

const Port = z.int().min(1).max(65535);

/** `192.0.2.1:53`, or `[2001:db8::1]:53`. */
export const TargetPort = z.string().meta({
  pattern: "^([^:]{1,45}|\\[[^\\]]{2,45}\\]):[0-9]{1,5}$",
  examples: ["192.168.2.10:33434"],
}).transform((text, context) => {
  const match = /^(?:\[([^\]]{2,45})\]|([^:]{1,45})):(\d{1,5})$/.exec(text);
  const address = Target.safeParse(match?.[1] ?? match?.[2]);
  const port = Port.safeParse(Number(match?.[3]));
  if (address.success && port.success && isBracketed(text) === address.data.includes(":")) {
    return { address: address.data, port: port.data };
  }
  context.addIssue({
    code: "custom",
    message: "Write an address and a port from 1 to 65535, such as 192.0.2.1:53",
  });
  return z.NEVER;
});

/** What to ping: with a port by UDP, otherwise by an echo request. */
export const PingRequest = z.object({
  link: InterfaceName,
  address: Target,
  port: Port.exactOptional(),
});
export type PingRequest = z.output<typeof PingRequest>;

/** Nanoseconds until each answer came; null where none did. */
export const PingResult = z.array(z.int().min(0).nullable()).max(PING_COUNT);
export type PingResult = readonly (number | null)[];

/** A socket of this machine, with the names of its columns. */
export const SocketEntry = z.object({
  netid: z.string(),
  state: z.string(),
  recv_q: z.int(),
  send_q: z.int(),
  local_address: z.string(),
  local_port: z.string(),
  peer_address: z.string(),
  peer_port: z.string(),
}).meta({ id: "SocketEntry" });
export type SocketEntry = z.output<typeof SocketEntry>;

function isBracketed(text: string): boolean {
  return text.startsWith("[");
}

/** Unspecified, multicast or broadcast. */
function isNotUnicast(text: string): boolean {
  const address = parseAddress(text);
  if (address === null) return false;
  const { family, value } = address;
  if (value === 0n) return true;
  return family === 4 ? value >> 28n === 0xen || value === 0xffffffffn : value >> 120n === 0xffn;
}
