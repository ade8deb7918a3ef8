import { LOCAL_DOMAIN } from "../../dns/local/local_names.ts";
import { type DhcpMessage, OPTION } from "./packet.ts";

/** Flags of option 81 (RFC 4702 2.1): who updates names, who overrode whom, how the name is written. */
const FLAG = { server: 1, overridden: 2, encoded: 4, none: 8 } as const;
/** RCODE1 and RCODE2, which servers set to 255 (RFC 4702 2.2). */
const NO_RCODE = 255;
/** A label of a host name (RFC 1123 2.1). */
const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i;

/** The host name that a client sends, as text; "" for none. The api cleans it. */
export function sentName(message: DhcpMessage): string {
  const plain = message.options.get(OPTION.hostName);
  const full = message.options.get(OPTION.clientName);
  if (plain === undefined && full !== undefined && full.length > 3) {
    const name = full.subarray(3);
    return (full[0]! & FLAG.encoded) !== 0 ? labels(name).join(".") : text(name);
  }
  return text(plain ?? new Uint8Array());
}

/** The client's identifier (option 61) as text; a DUID (RFC 4361 6.1) without the interface's number. */
export function sentIdentifier(message: DhcpMessage): string {
  const bytes = message.options.get(OPTION.clientId);
  if (bytes === undefined || bytes.length < 2) return "";
  return bytes[0] === 255 && bytes.length > 7 ? `duid:${bytes.subarray(5).toHex()}` : bytes.toHex();
}

/**
 * Options 12, 15, 81 and 119 of a reply to a client that requests them. `name` is the device's; the domain is
 * that of local names, so that `printer` is found as `printer.lan`.
 */
export function nameOptions(
  message: DhcpMessage,
  name: string,
): readonly (readonly [number, Uint8Array])[] {
  const host = [name, sentName(message).split(".")[0]!].find((label) => LABEL.test(label));
  const requested = (code: number): boolean =>
    message.options.get(OPTION.parameterList)?.includes(code) ?? false;
  const full = message.options.get(OPTION.clientName);
  const domain = new TextEncoder().encode(LOCAL_DOMAIN);
  const search = Uint8Array.of(domain.length, ...domain, 0);
  return [
    ...(requested(OPTION.hostName) && host !== undefined
      ? [[OPTION.hostName, new TextEncoder().encode(host)] as const]
      : []),
    ...(requested(OPTION.domain) ? [[OPTION.domain, domain] as const] : []),
    ...(requested(OPTION.search) ? [[OPTION.search, search] as const] : []),
    ...(full !== undefined && full.length >= 3
      ? [[OPTION.clientName, fullName(full[0]!, host ?? "")] as const]
      : []),
  ];
}

/** The router names its devices itself, unless the client wants no name at all (RFC 4702 4). */
function fullName(sent: number, host: string): Uint8Array {
  const encoded = sent & FLAG.encoded;
  const flags = (sent & FLAG.none) !== 0
    ? FLAG.none
    : FLAG.server | ((sent & FLAG.server) === 0 ? FLAG.overridden : 0);
  const name = new TextEncoder().encode(host);
  // A name of one label without the final zero is a partial one (RFC 4702 2.3.1).
  const body = encoded !== 0 && name.length > 0 ? [name.length, ...name] : [...name];
  return Uint8Array.of(flags | encoded, NO_RCODE, NO_RCODE, ...body);
}

/** Labels of DNS wire format; a truncated one is left out. */
function labels(bytes: Uint8Array): string[] {
  const found: string[] = [];
  for (let at = 0; at < bytes.length;) {
    const length = bytes[at++]!;
    if (length === 0 || length > 63 || at + length > bytes.length) break;
    found.push(text(bytes.subarray(at, at + length)));
    at += length;
  }
  return found;
}

function text(bytes: Uint8Array): string {
  // deno-lint-ignore no-control-regex -- some clients end the name with a NUL
  return new TextDecoder("latin1").decode(bytes).replace(/\u0000+$/, "");
}
