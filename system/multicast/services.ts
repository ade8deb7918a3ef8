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

/** UPnP Device Architecture 2.0, 1.2 and 1.3: headers in lines. */
function ssdpTargets(payload: Uint8Array): readonly string[] {
  const text = new TextDecoder().decode(payload.subarray(0, 4096));
  if (!/^(?:M-SEARCH|NOTIFY|HTTP\/1\.1)/.test(text)) return [];
  return text.split("\r\n").flatMap((row) => /^(?:ST|NT|SERVER):(.*)$/i.exec(row)?.[1] ?? []);
}
