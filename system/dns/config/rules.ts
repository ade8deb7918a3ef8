import type { Config } from "../../config.ts";
import { formatIpv4, parseIpv4 } from "../../core/net/net.ts";
import { invalid, sentence } from "../../core/errors/problem.ts";
import { isRouterAddress, lanAddress, poolsOf } from "../../dhcp/tiny_net.ts";
import { fixedAddresses } from "../../network/interfaces/schema.ts";
import { type DnsSettings, MAX_PROVIDERS, type Provider } from "./schema.ts";
import {
  DEFAULT_SETTINGS,
  type DnsSettingsUpdate,
  TLS_HOST_MESSAGE,
  tlsDisabled,
} from "./settings_schema.ts";

/** The single fields of one list, as older clients know them. */
interface Single {
  readonly host: string;
  readonly address: string;
  readonly plain: boolean;
}

/** Replaces the DNS settings. Throws Problem 400 for an upstream resolver that is the router itself. */
export function setDnsSettings(
  config: Config,
  update: DnsSettingsUpdate,
): readonly [Config, DnsSettings] {
  const settings = storedSettings(update, config.dns);
  refuseOwnAddresses(config, settings);
  const same = JSON.stringify(config.dns) === JSON.stringify(settings);
  return same ? [config, config.dns] : [{ ...config, dns: settings }, settings];
}

/**
 * An update as it is stored: lists and single fields agree. `before`: the current settings. Throws
 * Problem 400 where TLS is required by its older field alone and the host name is missing.
 */
export function storedSettings(update: DnsSettingsUpdate, before: DnsSettings): DnsSettings {
  const host = update.UpstreamTLSHost ?? "";
  const plain = tlsDisabled(update, before.TlsDisable);
  const address = update.UpstreamIPAddress ?? "";
  if (address !== "" && !plain && host === "") throw invalid("/UpstreamTLSHost", TLS_HOST_MESSAGE);
  const upstream = merged(
    address === "" ? null : { host, address, plain },
    { list: update.UpstreamProviders ?? [], before: before.UpstreamProviders },
  );
  const familyAddress = update.UpstreamFamilyIPAddress ?? "";
  const fallback = update.FamilyProviders?.length ? [] : DEFAULT_SETTINGS.FamilyProviders;
  const family = merged(
    familyAddress === "" ? null : {
      host: update.UpstreamFamilyTLSHost ?? "",
      address: familyAddress,
      plain: update.DisableFamilyTls ?? false,
    },
    {
      list: update.FamilyProviders ?? (familyAddress === "" ? fallback : []),
      before: before.FamilyProviders,
    },
  );
  const [first, familyFirst] = [upstream.single, family.single];
  return {
    UpstreamTLSHost: first.host,
    UpstreamIPAddress: first.address,
    TlsDisable: first.plain,
    UpstreamFamilyTLSHost: familyFirst.host,
    UpstreamFamilyIPAddress: familyFirst.address,
    DisableFamilyTls: familyFirst.plain,
    UpstreamProviders: [...upstream.list],
    FamilyProviders: [...family.list],
    ProviderResolvers: update.ProviderResolvers ?? DEFAULT_SETTINGS.ProviderResolvers,
  };
}

/**
 * Merges a list with its single fields. Where they differ the list wins, unless it is the current one:
 * then a client that knows no lists sent it back and changed the single fields.
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
      return { single, list: [entry, ...rest].slice(0, MAX_PROVIDERS) };
    }
  }
  const { IPAddress, TLSHost, DisableTls } = list[0]!;
  return { single: { host: TLSHost, address: IPAddress, plain: DisableTls }, list };
}

/** An unencrypted resolver needs no host name. */
function providerOf({ host, address, plain }: Single): Provider {
  return { IPAddress: address, TLSHost: plain ? "" : host, DisableTls: plain };
}

function same(a: Provider, b: Provider): boolean {
  return a.IPAddress === b.IPAddress && a.TLSHost === b.TLSHost && a.DisableTls === b.DisableTls;
}

/** Addresses of the router in the LAN. */
export function routerLanAddresses(config: Pick<Config, "dhcp">): readonly string[] {
  const lan = lanAddress(poolsOf(config.dhcp.TinyNets));
  return lan === null ? [] : [formatIpv4(lan)];
}

/**
 * Throws Problem 400 for an address of the router itself: the first of the LAN, one towards a single
 * device, or a fixed one of an interface.
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
    throw invalid(
      pointer,
      sentence("{address} is this router; enter an upstream resolver", { address }),
    );
  }
}

function refuseOwnAddresses(config: Config, settings: DnsSettings): void {
  for (const name of ["UpstreamProviders", "FamilyProviders"] as const) {
    settings[name].forEach(({ IPAddress }, index) =>
      refuseOwnResolver(config, IPAddress, `/${name}/${index}/IPAddress`)
    );
  }
}

/** The resolver that replaces the default upstream resolvers; "" for none. */
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
