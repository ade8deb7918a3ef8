import { normalizeMac, parseAddress, parseIpv4, parseRange4 } from "../../net/net.ts";
import type { Field, KeyType } from "../ruleset.ts";

/**
 * The only texts that may stand in an nft script. Whatever else reaches the renderer is an error of
 * ours and throws, so that no name or address can ever become a statement.
 */
function refuse(what: string, text: string): never {
  throw new RangeError(`Cannot write ${what} in an nft script: ${JSON.stringify(text)}`);
}

// Words of nft's own language (scanner.l) that an identifier of ours could collide with.
const KEYWORDS = new Set(
  ("accept add all and arp at audit binary bitmask bridge burst bypass chain chains comment " +
    "constant continue counter counters create ct daddr day delete describe destroy dnat drop " +
    "dynamic elem element elements exists export fib flags flow flowtable flowtables " +
    "flush forward from fwd get goto group handle hash helper helpers hook hour icmp icmpv6 id " +
    "iif iifname import include index inet ingress insert interval ip ip6 jhash jump last length " +
    "limit limits list log map maps mark masquerade meta meter meters missing monitor netdev " +
    "nftrace notrack numgen oif oifname or output over packets performance persistent policy " +
    "position postrouting prerouting priority queue quota quotas random redirect reject rename " +
    "replace reset return route rt ruleset saddr secmark secmarks set sets size snat snaplen " +
    "socket synproxy table tables tcp tproxy type typeof udp undefine until used vlan vmap vxlan " +
    "xml xor xt").split(" "),
);

/** A table, set, map or chain name as nft takes it (kernel limit 255, NFT_NAME_MAXLEN). */
export function identifier(text: string): string {
  if (!/^[A-Za-z][A-Za-z0-9_-]{0,254}$/.test(text) || KEYWORDS.has(text)) refuse("a name", text);
  return text;
}

/** A table family of ours. */
export function family(text: string): string {
  return text === "inet" || text === "ip" ? text : refuse("a family", text);
}

/** A quoted interface name (IFNAMSIZ); with `wildcard`, a trailing `*` stands for any ending. */
function interfaceText(text: string, wildcard: boolean): string {
  const name = wildcard && text.endsWith("*") ? text.slice(0, -1) : text;
  if (!/^[A-Za-z0-9][A-Za-z0-9_.-]{0,14}$/.test(name)) refuse("an interface", text);
  return `"${text}"`;
}

function ipv4Text(text: string, interval: boolean): string {
  const [low, high, ...rest] = text.split("-");
  if (parseIpv4(text) !== null) return text;
  const range = interval ? parseRange4(text) : null;
  if (range !== null && parseIpv4(text.slice(0, text.indexOf("/"))) === range.first) return text;
  if (!interval || low === undefined || high === undefined || rest.length > 0) {
    return refuse("an IPv4 address", text);
  }
  const first = parseIpv4(low), last = parseIpv4(high);
  if (first === null || last === null || first >= last) refuse("an IPv4 range", text);
  return text;
}

function portText(text: string, interval: boolean): string {
  const [low, high, ...rest] = text.split("-");
  const numbers = high === undefined ? [low] : [low, high];
  const known = rest.length === 0 && (high === undefined || interval) &&
    numbers.every((part) => /^(0|[1-9]\d{0,4})$/.test(part ?? "") && Number(part) <= 65535);
  if (!known || (high !== undefined && Number(low) >= Number(high))) refuse("a port", text);
  return text;
}

function word(what: string, words: readonly string[]): (text: string) => string {
  return (text) => words.includes(text) ? text : refuse(what, text);
}

const protocol = word("a protocol", ["tcp", "udp", "icmp", "ipv6-icmp"]);

/** One part of a set's key or data. */
export function keyText(type: KeyType, text: string, interval: boolean): string {
  switch (type) {
    case "ipv4_addr":
      return ipv4Text(text, interval);
    case "ifname":
      return interfaceText(text, false);
    case "ether_addr":
      return normalizeMac(text) === text ? text : refuse("a MAC address", text);
    case "inet_proto":
      return protocol(text);
    case "inet_service":
      return portText(text, interval);
  }
}

function ipv6Text(text: string): string {
  const [address = "", prefix, ...rest] = text.split("/");
  const known = parseAddress(address)?.family === 6 && rest.length === 0 &&
    (prefix === undefined || (/^(0|[1-9]\d{0,2})$/.test(prefix) && Number(prefix) <= 128));
  return known ? text : refuse("an IPv6 address", text);
}

const number = (text: string): string =>
  /^(0|[1-9]\d{0,2})$/.test(text) && Number(text) <= 255 ? text : refuse("an ICMP type", text);

/** A literal value of a field in a rule. */
export const LITERAL: Readonly<Record<Field, (text: string) => string>> = {
  "iifname": (text) => interfaceText(text, true),
  "oifname": (text) => interfaceText(text, true),
  "ip saddr": (text) => ipv4Text(text, true),
  "ip daddr": (text) => ipv4Text(text, true),
  "ct original ip daddr": (text) => ipv4Text(text, true),
  "ct reply ip daddr": (text) => ipv4Text(text, true),
  "ether saddr": (text) => keyText("ether_addr", text, false),
  "meta l4proto": protocol,
  "th sport": (text) => portText(text, true),
  "th dport": (text) => portText(text, true),
  "icmp type": number,
  "icmpv6 type": number,
  "meta nfproto": word("a family", ["ipv4", "ipv6"]),
  "ct state": word("a connection state", ["established", "related", "new", "invalid", "untracked"]),
  "ct mark": (text) =>
    /^(0|[1-9]\d{0,9})$/.test(text) && Number(text) < 2 ** 32 ? text : refuse("a mark", text),
  "ct status": word("a connection status", ["dnat", "snat"]),
  "ip6 saddr": ipv6Text,
  "ip6 daddr": ipv6Text,
  "fib daddr type": word("an address type", ["local", "unicast", "broadcast", "multicast"]),
  "@th,96,24": (text) =>
    /^(0|[1-9]\d{0,7})$/.test(text) && Number(text) < 2 ** 24
      ? text
      : refuse("a VXLAN network identifier", text),
};

const COMMENT_BYTES = 128; // NFTNL_UDATA_COMMENT_MAXLEN

/** Words as a quoted nft comment: one line, no quotes or backslashes, 128 bytes at most. */
export function commentText(text: string): string {
  const encoder = new TextEncoder();
  const clean = text.replace(/["\\]/g, "").replace(/[\p{Cc}\u2028\u2029]/gu, " ").toWellFormed();
  let kept = "";
  let bytes = 0;
  for (const character of clean) {
    bytes += encoder.encode(character).length;
    if (bytes > COMMENT_BYTES) break;
    kept += character;
  }
  return `"${kept}"`;
}
