import type { Config } from "../../config.ts";
import type { Observations } from "../../core/engine/change.ts";
import type { Desired } from "../../core/kernel/host.ts";
import { parseRange4 } from "../../core/net/net.ts";
import { Resolver as ResolverAddress } from "../../devices/schema.ts";
import { customRules } from "../../firewall/sets/custom_sets.ts";
import { fingerprint } from "../../multicast/relay_plan.ts";
import { hostOf, LAN_LINK } from "../../network/plan.ts";
import { qualifiedName } from "../local/hostname_rules.ts";
import type { DnsClient } from "../resolver/client.ts";
import { localNames } from "../local/local_names.ts";
import type { DnsSnapshot } from "./snapshot_schema.ts";

export type { DnsClient } from "../resolver/client.ts";
export type { DnsSnapshot, LocalName } from "./snapshot_schema.ts";

/** What a snapshot is made of beside the configuration. */
export interface SnapshotSources {
  readonly desired: Pick<Desired, "addresses" | "facts">;
  /** True while the network is applied; null while that is not known yet, or nothing is to be. */
  readonly applied: boolean | null;
  /** Names of the router itself, without a domain or with their own. */
  readonly routerNames: readonly string[];
  /** Certificates (PEM) that are trusted for an upstream beside the usual ones. */
  readonly trusted: readonly string[];
  /** What providers gave the router's uplinks. */
  readonly observed: Pick<Observations, "uplinks">;
}

/** Everything that dnsd works from, out of what people decided and what is in force. Pure. */
export function dnsSnapshot(config: Config, sources: SnapshotSources): DnsSnapshot {
  const { desired, applied, routerNames, trusted, observed } = sources;
  const home = desired.addresses.filter(({ link }) => link === LAN_LINK)
    .map(({ address }) => address);
  const own = [
    ...desired.addresses.map(({ address }) => hostOf(address)),
    ...(desired.facts?.addresses ?? []),
  ];
  const override = config.firewall["SystemDNSOverride"];
  const content = {
    settings: config.dns,
    clients: clientsOf(config.devices),
    names: localNames({
      devices: config.devices,
      hostnames: config.hostnames.map(({ Hostname, IPAddress }) => ({
        name: qualifiedName(Hostname),
        address: IPAddress,
      })),
      routerNames,
      lanAddress: home[0] === undefined ? null : hostOf(home[0]),
    }),
    block: config.dnsBlock,
    log: config.dnsLog,
    listen: applied === null ? null : applied ? home.map(hostOf) : [],
    own,
    leased: leasedResolvers(config, { desired, observed }).filter((one) => !own.includes(one)),
    networks: [...home, ...customNetworks(config)],
    override: ResolverAddress.safeParse(override).success ? String(override) : "",
    trusted,
  };
  return { tag: fingerprint(JSON.stringify(content)), ...content };
}

/** Devices that may be heard of: those with an address that take part in the network. */
function clientsOf(devices: Config["devices"]): readonly DnsClient[] {
  return Object.entries(devices)
    .filter(([, { RecentIP, DeviceDisabled }]) => RecentIP !== "" && !DeviceDisabled)
    .map(([identity, device]) => ({
      address: device.RecentIP,
      identity,
      name: device.Name,
      tags: device.DeviceTags,
      policies: device.Policies,
      custom: device.DNSCustom,
    }));
}

/**
 * The resolvers that leases brought, those of the uplink that is taken first before the others; none
 * while they are not to be asked, so that a lease is then no news.
 */
function leasedResolvers(
  { dns, interfaces }: Config,
  { desired, observed }: Pick<SnapshotSources, "desired" | "observed">,
): readonly string[] {
  if (dns.ProviderResolvers === "never") return [];
  // What was leased before an address was decided, or an account dialled, is no longer meant.
  const asks = new Set(interfaces.filter((one) => !one.DisableDHCP).map(({ Name }) => Name));
  const ways = (desired.facts?.uplinks ?? []).filter(({ name }) => asks.has(name));
  const found = ways.flatMap(({ name, address }) => {
    const lease = observed.uplinks?.[name]?.lease;
    return lease?.address === address ? lease?.dns ?? [] : [];
  });
  return [...new Set(found)];
}

/** Networks that custom interface rules let ask. */
function customNetworks({ firewall, interfaces }: Config): readonly string[] {
  const uplinks = interfaces.filter(({ Type }) => Type === "Uplink").map(({ Name }) => Name);
  return customRules(firewall.CustomInterfaceRules, uplinks)
    .filter(({ Policies, SrcIP }) => Policies.includes("dns") && parseRange4(SrcIP) !== null)
    .map(({ SrcIP }) => SrcIP);
}
