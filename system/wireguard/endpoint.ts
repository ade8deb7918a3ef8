import * as z from "zod";
import {
  type Address,
  formatAddress,
  isUnroutable,
  parseAddress,
  unmapped,
} from "../core/net/net.ts";

/** Where a tunnel's other end is reached: an address or a name, and a UDP port. */
export interface EndpointParts {
  /** IPv4, IPv6 without brackets, or a name in lower case. */
  readonly host: string;
  /** 1–65535; null where none is named. */
  readonly port: number | null;
}

/** RFC 1123 2.1: labels of letters, digits and hyphens, at most 253 characters; the last is no number. */
const NAME =
  /^(?=.{1,253}$)([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9])?\.)*[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** Reads `vpn.example.org:51280`, `203.0.113.7`, `[2001:db8::1]:51280`; null for what is none. */
export function parseEndpoint(text: string): EndpointParts | null {
  const bracketed = /^\[([0-9a-fA-F:.]+)\](?::(\d{1,5}))?$/.exec(text);
  if (bracketed !== null) {
    const address = parseAddress(bracketed[1]!);
    return address?.family === 6 ? atAddress(address, bracketed[2]) : null;
  }
  const bare = parseAddress(text);
  if (bare?.family === 6) return atAddress(bare, undefined);
  const plain = /^([^:]+)(?::(\d{1,5}))?$/.exec(text);
  if (plain === null) return null;
  const host = plain[1]!.toLowerCase(), address = parseAddress(host);
  if (address !== null) return atAddress(address, plain[2]);
  return NAME.test(host) ? withPort(host, plain[2]) : null;
}

/** In the spelling of wg(8), so that the two can be compared; null for where no machine is. */
function atAddress(address: Address, digits: string | undefined): EndpointParts | null {
  const plain = unmapped(address);
  // "This host", loopback (RFC 4291 2.5.2, 2.5.3) and multicast (2.7).
  const isNowhere = plain.family === 4
    ? isUnroutable(Number(plain.value))
    : plain.value <= 1n || plain.value >> 120n === 0xffn;
  return isNowhere ? null : withPort(formatAddress(plain), digits);
}

function withPort(host: string, digits: string | undefined): EndpointParts | null {
  if (digits === undefined) return { host, port: null };
  const port = Number(digits);
  return /^[1-9]/.test(digits) && port <= 65535 ? { host, port } : null;
}

/** The endpoint as one text, IPv6 in brackets. */
export function formatEndpoint({ host, port }: EndpointParts): string {
  const name = host.includes(":") ? `[${host}]` : host;
  return port === null ? name : `${name}:${port}`;
}

/** True for a name, which must be resolved before packets can be sent there. */
export function isName({ host }: EndpointParts): boolean {
  return parseAddress(host) === null;
}

const PATTERN = "^[A-Za-z0-9_.:\\[\\]-]{1,262}$";

function endpoint(needsPort: boolean, error: string): z.ZodType<string> {
  return z.string().trim().transform((text, context) => {
    const parts = parseEndpoint(text);
    if (parts !== null && (parts.port !== null || !needsPort)) return formatEndpoint(parts);
    context.addIssue({ code: "custom", message: error });
    return z.NEVER;
  }).meta({ pattern: PATTERN, examples: ["vpn.example.org:51280"] });
}

/** An address or name under which this router is reached; its port may be left out. */
export const PublicEndpoint = endpoint(
  false,
  "Write a name or address, such as vpn.example.org or 203.0.113.7:51280, with a port from 1 to 65535",
);

/** Where another router is reached, with its port. */
export const RemoteEndpoint = endpoint(
  true,
  "Write a name or address and a port from 1 to 65535, such as vpn.example.org:51280",
);
