import type { Config } from "../../config.ts";
import type { Desired } from "../../core/kernel/desired.ts";
import { formatAddress, parseAddress, parseRange4, unmapped } from "../../core/net/net.ts";
import { isNonPublicAddress } from "../../dns/block/verdict/rebinding.ts";
import type { AlertChannel } from "../channels/schema.ts";

/** What belongs to this router. */
export interface OwnNetwork {
  /** The router's own addresses. */
  readonly addresses: readonly string[];
  /** Networks of the LAN with their prefix. */
  readonly networks: readonly string[];
}

/** The router's own addresses in a state, and the networks of its LAN. */
export function ownNetworkOf(
  desired: Pick<Desired, "addresses" | "facts">,
  { interfaces, dhcp }: Pick<Config, "interfaces" | "dhcp">,
): { addresses: string[]; networks: string[] } {
  const uplinks = new Set(
    interfaces.filter(({ Type }) => Type === "Uplink").map(({ Name }) => Name),
  );
  const inside = desired.addresses.filter(({ link }) => !uplinks.has(link));
  const addresses = [
    ...desired.addresses.map(({ address }) => address.split("/")[0]!),
    ...(desired.facts?.addresses ?? []),
  ];
  return {
    addresses: [...new Set(addresses)],
    networks: [...new Set([...dhcp.TinyNets, ...inside.map(({ address }) => address)])],
  };
}

/**
 * Why nothing is sent to an address; null where it may be. The router itself, loopback, link-local and
 * group addresses are never sent to, private ones and the LAN only where the channel may.
 */
export function addressFault(
  text: string,
  { own, localNetwork }: { readonly own: OwnNetwork; readonly localNetwork: boolean },
): string | null {
  const parsed = parseAddress(text.replace(/%.*$/, ""));
  if (parsed === null) return `${text} is no address`;
  const address = unmapped(parsed);
  const plain = formatAddress(address);
  if (isItself(plain) || own.addresses.some((other) => other === plain)) {
    return `${plain} is an address of the router itself`;
  }
  if (localNetwork) return null;
  return isNonPublicAddress(plain) || own.networks.some((network) => contains(network, plain))
    ? `${plain} is not on the Internet; allow the local network for this channel`
    : null;
}

/** Loopback, link-local, unspecified, group and reserved addresses, also as part of others. */
function isItself(plain: string): boolean {
  const { family, value } = parseAddress(plain)!;
  if (family === 4) {
    const first = Number(value >> 24n);
    return first === 0 || first === 127 || first >= 224 || value >> 16n === 0xa9fen;
  }
  // RFC 4291 2.4, 2.5.5: unspecified, loopback and IPv4-compatible; link-local and site-local; groups.
  if (value >> 32n === 0n || value >> 118n === 0x3fan || value >> 118n === 0x3fbn) return true;
  if (value >> 120n === 0xffn) return true;
  // RFC 6052 and RFC 3056: an IPv4 address that is reached by translation.
  const inner = value >> 32n === 0x64ff9bn << 64n
    ? value & 0xffffffffn
    : value >> 112n === 0x2002n
    ? value >> 80n & 0xffffffffn
    : null;
  return inner !== null && isItself(formatAddress({ family: 4, value: inner }));
}

function contains(network: string, plain: string): boolean {
  const address = parseAddress(plain)!;
  const range = parseRange4(network);
  if (range !== null) {
    return address.family === 4 && range.first <= address.value && address.value <= range.last;
  }
  const [base = "", prefix = "128"] = network.split("/");
  const other = parseAddress(base);
  if (other === null || other.family !== address.family) return false;
  const bits = BigInt((other.family === 4 ? 32 : 128) - Number(prefix));
  return other.value >> bits === address.value >> bits;
}

/** What is wrong with an address that a channel names outright; names are judged when they are resolved. */
export function literalFault(
  { url, host, localNetwork }: Pick<AlertChannel, "url" | "host" | "localNetwork">,
): { readonly field: string; readonly message: string } | null {
  for (const [field, name] of [["/url", url === "" ? "" : hostOf(url)], ["/host", host]] as const) {
    if (name === "") continue;
    if (/^(.*\.)?localhost\.?$/i.test(name)) {
      return { field, message: "This is the router itself" };
    }
    if (parseAddress(name) === null) continue;
    const message = addressFault(name, { own: { addresses: [], networks: [] }, localNetwork });
    if (message !== null) return { field, message };
  }
  return null;
}

function hostOf(url: string): string {
  return URL.parse(url)?.hostname.replace(/^\[|\]$/g, "") ?? "";
}
