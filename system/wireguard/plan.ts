import type { Config } from "../config.ts";
import { onceEach } from "../core/config/memo.ts";
import type { Observations } from "../core/engine/change.ts";
import type {
  DesiredAddress,
  DesiredLink,
  DesiredRoute,
  UplinkPath,
} from "../core/kernel/desired.ts";
import type { Facts } from "../core/kernel/facts.ts";
import { inRange4, overlaps4, parseIpv4, parseRange4 } from "../core/net/net.ts";
import type { CustomInterfaceRule, Firewall } from "../firewall/schema.ts";
import { networkOf } from "./sites/networks.ts";
import { revokedAddresses, revokedSites } from "./tunnels/revoked.ts";
import { type Site, TUNNEL, TUNNEL_MTU, type Wireguard } from "./schema.ts";

/**
 * What WireGuard adds to a packet over IPv6: 40 bytes of IP, 8 of UDP, 32 of its own. The uplink's
 * MTU less this fits whichever IP version the tunnel runs over.
 */
const OVERHEAD = 80;

/** The public keys of the peers. */
export const peerKeys = onceEach(({ Peers }: Wireguard): ReadonlySet<string> =>
  new Set(Peers.map(({ PublicKey }) => PublicKey))
);

/** The MTU of a tunnel: the chosen one, or what fits every uplink. */
export function tunnelMtu(chosen: number, paths: readonly Pick<UplinkPath, "linkMtu" | "mtu">[]) {
  if (chosen !== 0) return chosen;
  const sizes = paths.map(({ mtu, linkMtu }) => mtu ?? linkMtu ?? 1500);
  const fits = Math.min(1500, ...sizes) - OVERHEAD;
  return Math.max(TUNNEL_MTU.least, fits);
}

/** The sites that are on. */
function activeSites({ Sites }: Wireguard): readonly Site[] {
  return Sites.filter(({ Enabled }) => Enabled);
}

/**
 * The rules of custom interfaces: those that people wrote, then one for each network of a site. What a
 * tunnel may still take from a revoked key has none.
 */
export function interfaceRules(
  { firewall, wireguard }: Pick<Config, "firewall" | "wireguard">,
  tunnels: Observations["tunnels"] = NO_TUNNELS,
): readonly CustomInterfaceRule[] {
  const sites = siteRules(revokedSites(tunnels))(wireguard), own = writtenRules(firewall, tunnels);
  return sites.length === 0 ? own : joined(own)(sites);
}

/** The rules that people wrote, without those that a revoked key could use. */
export function writtenRules(
  { CustomInterfaceRules }: Pick<Firewall, "CustomInterfaceRules">,
  tunnels: Observations["tunnels"] = NO_TUNNELS,
): readonly CustomInterfaceRule[] {
  return withoutRevoked(tunnels)(CustomInterfaceRules);
}

const NO_TUNNELS: NonNullable<Observations["tunnels"]> = {};

const withoutRevoked = onceEach((tunnels: NonNullable<Observations["tunnels"]>) => {
  const sites = revokedSites(tunnels);
  const addresses = [...revokedAddresses(tunnels)].flatMap((text) => parseIpv4(text) ?? []);
  return onceEach((rules: readonly CustomInterfaceRule[]): readonly CustomInterfaceRule[] => {
    const open = rules.filter(({ Interface, SrcIP }) => {
      if (Interface !== TUNNEL) return !sites.has(Interface);
      const range = parseRange4(SrcIP.includes("/") ? SrcIP : `${SrcIP}/32`);
      return range === null || !addresses.some((address) => inRange4(range, address));
    });
    return open.length === rules.length ? rules : open;
  });
});

const siteRules = onceEach((revoked: ReadonlySet<string>) =>
  onceEach((wireguard: Wireguard): readonly CustomInterfaceRule[] =>
    activeSites(wireguard).filter((site) => !revoked.has(site.Interface)).flatMap((site) =>
      site.Networks.map((SrcIP) => ({
        Interface: site.Interface,
        SrcIP,
        RouteDst: "",
        Policies: site.Policies,
        Groups: site.Groups,
        Tags: [],
        RuleName: site.Name,
        Description: "",
        Disabled: false,
      }))
    )
  )
);

const joined = onceEach((own: readonly CustomInterfaceRule[]) =>
  onceEach((sites: readonly CustomInterfaceRule[]): readonly CustomInterfaceRule[] => [
    ...own,
    ...sites,
  ])
);

/** Tunnels that are present, set up with the MTU that fits. */
export function tunnelLinks(
  { wireguard }: Pick<Config, "wireguard">,
  facts: Facts,
  paths: readonly UplinkPath[],
): readonly DesiredLink[] {
  const present = new Set(facts.links.map(({ name }) => name));
  const wanted = [
    ...(wireguard.Enabled ? [{ name: TUNNEL, chosen: wireguard.MTU }] : []),
    ...activeSites(wireguard).map(({ Interface, MTU }) => ({ name: Interface, chosen: MTU })),
  ];
  return wanted.filter(({ name }) => present.has(name)).map(({ name, chosen }) => ({
    name,
    create: null,
    mtu: tunnelMtu(chosen, paths),
    up: true,
  }));
}

/** The router's addresses in the tunnels to sites that are present. */
export function siteAddresses(
  { wireguard }: Pick<Config, "wireguard">,
  facts: Facts,
): readonly DesiredAddress[] {
  const present = new Set(facts.links.map(({ name }) => name));
  return activeSites(wireguard)
    .filter(({ Address, Interface }) => Address !== "" && present.has(Interface))
    .map(({ Address, Interface }) => ({ link: Interface, address: Address }));
}

/**
 * Routes to the networks behind sites whose tunnels are present and have no revoked key. One that
 * overlaps a network in which the router is by now, as by a lease, is left out: it would take that
 * network away.
 */
export function siteRoutes(
  { wireguard }: Pick<Config, "wireguard">,
  facts: Facts,
  tunnels: Observations["tunnels"] = NO_TUNNELS,
): readonly DesiredRoute[] {
  const present = new Set(facts.links.map(({ name }) => name)), revoked = revokedSites(tunnels);
  const sites = activeSites(wireguard)
    .filter(({ Interface }) => present.has(Interface) && !revoked.has(Interface));
  if (sites.length === 0) return [];
  const links = new Set(sites.map(({ Interface }) => Interface));
  const taken = facts.addresses.filter(({ link }) => !links.has(link))
    .flatMap(({ address }) => parseRange4(address) ?? []);
  return sites.flatMap(({ Interface, Networks, Address }) =>
    Networks.filter((network) => {
      const range = parseRange4(network);
      // The kernel has a route to the network of an address by itself.
      return range !== null && network !== networkOf(Address) &&
        !taken.some((other) => overlaps4(range, other));
    }).map((destination) => ({ destination, via: null, link: Interface }))
  );
}

/** A UDP port on which a tunnel listens. */
export interface TunnelPort {
  readonly port: number;
  /** What uses it, for people. */
  readonly name: string;
}

/** The ports that sites chose, also those of sites that are off. */
export function sitePorts({ Sites }: Wireguard): readonly TunnelPort[] {
  return Sites.filter(({ ListenPort }) => ListenPort !== 0)
    .map(({ ListenPort, Name }) => ({ port: ListenPort, name: `The site ${Name}` }));
}

/** The ports that are open: those of the tunnels that are on. */
export function openPorts(wireguard: Wireguard): readonly TunnelPort[] {
  const { Enabled, PrivateKey, ListenPort, Sites } = wireguard;
  const own = Enabled && PrivateKey !== ""
    ? [{ port: ListenPort, name: "The VPN of this router" }]
    : [];
  return [...own, ...sitePorts({ ...wireguard, Sites: Sites.filter((one) => one.Enabled) })];
}
