import { hasControl } from "../core/net/grammar.ts";
import type { Datagram } from "./datagram.ts";
import { parseMessage, TYPE } from "./mdns.ts";

/** Maximum number of names of one datagram, and of characters of one. */
const MAX_SERVICES = 32, MAX_LENGTH = 128;

/**
 * Services that a datagram announces or searches for: service types of mDNS (RFC 6763 4.1), search and
 * notification targets of SSDP. Plain text of bounded length, whatever the input.
 */
export function servicesOf(datagram: Datagram): readonly string[] {
  const names = datagram.port === 5353
    ? mdnsServices(datagram.payload)
    : ssdpTargets(datagram.payload);
  const fit = names.map((name) => name.trim())
    .filter((name) => name !== "" && name.length <= MAX_LENGTH && !hasControl(name));
  return [...new Set(fit)].slice(0, MAX_SERVICES);
}

/** What a device says of itself beside its services: its model and the like. */
export interface Description {
  /** Of TXT records of its services (RFC 6763 6), by key in lower case. */
  readonly txt: Readonly<Record<string, string>>;
  /** Headers of its SSDP messages, by name in upper case. */
  readonly ssdp: Readonly<Record<string, string>>;
}

/** Keys that describe the kind of a device; others may name its owner or hold secrets. */
const TXT_KEYS: ReadonlySet<string> = new Set([
  ...["model", "md", "am", "ty", "product", "usb_mdl", "usb_mfg", "mfg", "manufacturer", "ci"],
  ...["pv", "pdl", "ve", "ver", "srcvers", "platform", "protovers"],
]);
const SSDP_HEADERS: ReadonlySet<string> = new Set(["SERVER", "ST", "NT", "USN"]);

/** What a datagram says of its sender. Plain text of bounded length, whatever the input. */
export function descriptionOf({ port, payload }: Datagram): Description {
  const pairs = (list: readonly (readonly [string, string])[], kept: ReadonlySet<string>) =>
    Object.fromEntries(
      list.filter(([key, value]) =>
        kept.has(key) && value !== "" && value.length <= MAX_LENGTH && !hasControl(value)
      ),
    );
  return port === 5353
    ? { txt: pairs(txtPairs(payload), TXT_KEYS), ssdp: {} }
    : { txt: {}, ssdp: pairs(ssdpHeaders(payload), SSDP_HEADERS) };
}

function txtPairs(payload: Uint8Array): readonly (readonly [string, string])[] {
  const message = parseMessage(payload);
  if (message === null || !message.isResponse) return [];
  return message.records.flatMap(({ texts = [] }) => texts).flatMap((text) => {
    const equals = text.indexOf("=");
    if (equals <= 0) return [];
    return [[text.slice(0, equals).toLowerCase(), utf8(text.slice(equals + 1)).trim()] as const];
  });
}

/** The text of bytes that stand as one character each. */
function utf8(text: string): string {
  return new TextDecoder().decode(Uint8Array.from(text, (byte) => byte.charCodeAt(0)));
}

function mdnsServices(payload: Uint8Array): readonly string[] {
  const message = parseMessage(payload);
  if (message === null) return [];
  const names = [
    ...message.questions.map(({ name }) => name),
    ...message.records.filter(({ type }) => type === TYPE.ptr)
      .flatMap(({ name, target }) => [name, target ?? ""]),
  ];
  return names.flatMap((name) =>
    /_[a-z0-9-]{1,63}\._(?:tcp|udp)(?=\.local$)/.exec(name)?.[0] ?? []
  );
}

function ssdpTargets(payload: Uint8Array): readonly string[] {
  return ssdpHeaders(payload).filter(([name]) => name !== "USN" && SSDP_HEADERS.has(name))
    .map(([, value]) => value);
}

/** UPnP Device Architecture 2.0, 1.2 and 1.3: headers in lines, by name in upper case. */
function ssdpHeaders(payload: Uint8Array): readonly (readonly [string, string])[] {
  const text = new TextDecoder().decode(payload.subarray(0, 4096));
  if (!/^(?:M-SEARCH|NOTIFY|HTTP\/1\.1)/.test(text)) return [];
  return text.split("\r\n").flatMap((row) => {
    const colon = row.indexOf(":");
    if (colon <= 0) return [];
    return [[row.slice(0, colon).toUpperCase(), row.slice(colon + 1).trim()] as const];
  });
}
