import type { Config } from "../../config.ts";
import { formatIpv4, parseIpv4 } from "../../core/net/net.ts";
import { invalid } from "../../core/errors/problem.ts";
import { isRouterAddress, lanAddress, poolsOf } from "../../dhcp/tiny_net.ts";
import { fixedAddresses } from "../../network/interfaces/schema.ts";
import { type DnsSettings, MOST_PROVIDERS, type Provider } from "./schema.ts";
import { CERTIFICATE, DEFAULT_SETTINGS, type SentSettings, switchOf } from "./settings_schema.ts";

/** The single fields of one list, as older clients know them. */
interface Single {
  readonly host: string;
  readonly address: string;
  readonly plain: boolean;
}

/**
 * Replaces the settings of the resolver. Throws Problem 400 for an upstream that is the router
 * itself: it would ask itself for ever.
 */
export function setDns(config: Config, sent: SentSettings): readonly [Config, DnsSettings] {
  const settings = settingsOf(sent, config.dns);
  refuseSelf(config, settings);
  const same = JSON.stringify(config.dns) === JSON.stringify(settings);
  return same ? [config, config.dns] : [{ ...config, dns: settings }, settings];
}

/**
 * What was sent as it is stored: lists and single fields say the same. `before`: what is in force.
 * Throws Problem 400 where TLS is asked for by its older name alone and no name of a certificate is.
 */
export function settingsOf(sent: SentSettings, before: DnsSettings): DnsSettings {
  const host = sent.UpstreamTLSHost ?? "";
  const plain = switchOf(sent, before.TlsDisable);
  const address = sent.UpstreamIPAddress ?? "";
  if (address !== "" && !plain && host === "") throw invalid("/UpstreamTLSHost", CERTIFICATE);
  const upstream = merged(
    address === "" ? null : { host, address, plain },
    { list: sent.UpstreamProviders ?? [], before: before.UpstreamProviders },
  );
  const named = sent.UpstreamFamilyIPAddress ?? "";
  const fallback = sent.FamilyProviders?.length ? [] : DEFAULT_SETTINGS.FamilyProviders;
  const family = merged(
    named === "" ? null : {
      host: sent.UpstreamFamilyTLSHost ?? "",
      address: named,
      plain: sent.DisableFamilyTls ?? false,
    },
    {
      list: sent.FamilyProviders ?? (named === "" ? fallback : []),
      before: before.FamilyProviders,
    },
  );
  const [first, kin] = [upstream.single, family.single];
  return {
    UpstreamTLSHost: first.host,
    UpstreamIPAddress: first.address,
    TlsDisable: first.plain,
    UpstreamFamilyTLSHost: kin.host,
    UpstreamFamilyIPAddress: kin.address,
    DisableFamilyTls: kin.plain,
    UpstreamProviders: [...upstream.list],
    FamilyProviders: [...family.list],
    ProviderResolvers: sent.ProviderResolvers ?? DEFAULT_SETTINGS.ProviderResolvers,
  };
}

/**
 * A list and its single fields brought together. Where they differ the list counts, unless it is the
 * one in force: then a client that knows no lists sent it back and changed the single fields.
 */
function merged(
  single: Single | null,
  lists: { readonly list: readonly Provider[]; readonly before: readonly Provider[] },
): { readonly single: Single; readonly list: readonly Provider[] } {
  const list = lists.list.length > 0 || single !== null
    ? lists.list
    : DEFAULT_SETTINGS.FamilyProviders;
  if (single !== null) {
    const entry = providerOf(single);
    if (list.length === 0) return { single, list: [entry] };
    if (same(list[0]!, entry)) return { single, list };
    if (JSON.stringify(list) === JSON.stringify(lists.before)) {
      const rest = list.slice(1).filter(({ IPAddress }) => IPAddress !== entry.IPAddress);
      return { single, list: [entry, ...rest].slice(0, MOST_PROVIDERS) };
    }
  }
  const { IPAddress, TLSHost, DisableTls } = list[0]!;
  return { single: { host: TLSHost, address: IPAddress, plain: DisableTls }, list };
}

/** A resolver that is asked in the open needs no name. */
function providerOf({ host, address, plain }: Single): Provider {
  return { IPAddress: address, TLSHost: plain ? "" : host, DisableTls: plain };
}

function same(a: Provider, b: Provider): boolean {
  return a.IPAddress === b.IPAddress && a.TLSHost === b.TLSHost && a.DisableTls === b.DisableTls;
}

/** Addresses of the router at home. */
export function ownAddresses(config: Pick<Config, "dhcp">): readonly string[] {
  const lan = lanAddress(poolsOf(config.dhcp.TinyNets));
  return lan === null ? [] : [formatIpv4(lan)];
}

/**
 * Throws Problem 400 for an address that the router itself has: the first of its home networks, those
 * towards single devices, or a fixed one of a link.
 */
export function refuseOwnResolver(
  { dhcp, interfaces }: Pick<Config, "dhcp" | "interfaces">,
  address: string,
  pointer: string,
): void {
  const value = parseIpv4(address);
  const own = value !== null && (
    isRouterAddress(value, poolsOf(dhcp.TinyNets)) ||
    interfaces.flatMap(fixedAddresses).some((one) => one.split("/")[0] === address)
  );
  if (own) {
    throw invalid(pointer, `${address} is this router itself; name a resolver that it can ask`);
  }
}

function refuseSelf(config: Config, settings: DnsSettings): void {
  for (const name of ["UpstreamProviders", "FamilyProviders"] as const) {
    settings[name].forEach(({ IPAddress }, index) =>
      refuseOwnResolver(config, IPAddress, `/${name}/${index}/IPAddress`)
    );
  }
}

/** The resolver that takes the place of the upstream for the router itself; "" for none. */
export function systemResolver(config: Pick<Config, "firewall">): string {
  const value = config.firewall["SystemDNSOverride"];
  return typeof value === "string" ? value : "";
}

/** Sets {@link systemResolver}. Throws Problem 400 for the router itself. */
export function setSystemResolver(config: Config, address: string): readonly [Config, void] {
  refuseOwnResolver(config, address, "");
  if (systemResolver(config) === address) return [config, undefined];
  return [{ ...config, firewall: { ...config.firewall, SystemDNSOverride: address } }, undefined];
}
