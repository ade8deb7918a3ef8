import type { Config } from "../../config.ts";
import type { Observations } from "../../core/engine/change.ts";
import type { Desired } from "../../core/kernel/desired.ts";
import { parseRange4 } from "../../core/net/net.ts";
import { Resolver as ResolverAddress } from "../../devices/schema.ts";
import { customRules } from "../../firewall/sets/custom_sets.ts";
import { fingerprint } from "../../multicast/relay_plan.ts";
import { hostOf, LAN_LINK } from "../../network/plan.ts";
import { interfaceRules } from "../../wireguard/plan.ts";
import { qualifiedName } from "../local/hostname_rules.ts";
import type { DnsClient } from "../resolver/client.ts";
import { localNames } from "../local/local_names.ts";
import type { DnsSnapshot } from "./snapshot_schema.ts";

/** What a snapshot consists of beside the configuration. */
export interface SnapshotSources {
  readonly desired: Pick<Desired, "addresses" | "facts">;
  /** True while the network is applied; null while that is unknown. */
  readonly applied: boolean | null;
  /** Names of the router itself, without a domain or with their own. */
  readonly routerNames: readonly string[];
  /** Additional CA certificates (PEM) for upstream resolvers. */
  readonly trusted: readonly string[];
  /** Leases of the router's uplinks. */
  readonly observed: Pick<Observations, "uplinks">;
}

/** Everything that dnsd works from, out of the configuration and the desired state. Pure. */
export function dnsSnapshot(config: Config, sources: SnapshotSources): DnsSnapshot {
  const { desired, applied, routerNames, trusted, observed } = sources;
  const lan = desired.addresses.filter(({ link }) => link === LAN_LINK)
    .map(({ address }) => address);
  const routerAddresses = [
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
      lanAddress: lan[0] === undefined ? null : hostOf(lan[0]),
    }),
    block: config.dnsBlock,
    log: config.dnsLog,
    listen: applied === null ? null : applied ? lan.map(hostOf) : [],
    routerAddresses,
    ispResolvers: ispResolvers(config, { desired, observed })
      .filter((address) => !routerAddresses.includes(address)),
    networks: [...lan, ...customNetworks(config)],
    override: ResolverAddress.safeParse(override).success ? String(override) : "",
    trusted,
  };
  return { tag: fingerprint(JSON.stringify(content)), ...content };
}

/** Enabled devices with an address. */
function clientsOf(devices: Config["devices"]): readonly DnsClient[] {
  return Object.entries(devices)
    .filter(([, { RecentIP, DeviceDisabled }]) => RecentIP !== "" && !DeviceDisabled)
    .map(([identity, device]) => ({
      address: device.RecentIP,
      identity,
      name: device.Name,
      tags: device.DeviceTags,
      groups: device.Groups,
      policies: device.Policies,
      custom: device.DNSCustom,
    }));
}

/**
 * The resolvers of the uplinks' leases, those of the preferred uplink first; none while they are not
 * used, so that a new lease does not change the snapshot.
 */
function ispResolvers(
  { dns, interfaces }: Config,
  { desired, observed }: Pick<SnapshotSources, "desired" | "observed">,
): readonly string[] {
  if (dns.ProviderResolvers === "never") return [];
  // A lease from before a static address or PPPoE was configured is out of date.
  const dhcpNames = new Set(interfaces.filter((one) => !one.DisableDHCP).map(({ Name }) => Name));
  const uplinks = (desired.facts?.uplinks ?? []).filter(({ name }) => dhcpNames.has(name));
  const addresses = uplinks.flatMap(({ name, address }) => {
    const lease = observed.uplinks?.[name]?.lease;
    return lease?.address === address ? lease?.dns ?? [] : [];
  });
  return [...new Set(addresses)];
}

/** Networks that custom interface rules give access to DNS. */
function customNetworks(config: Config): readonly string[] {
  const uplinks = config.interfaces.filter(({ Type }) => Type === "Uplink")
    .map(({ Name }) => Name);
  return customRules(interfaceRules(config), uplinks)
    .filter(({ Policies, SrcIP }) => Policies.includes("dns") && parseRange4(SrcIP) !== null)
    .map(({ SrcIP }) => SrcIP);
}
