import type { Config } from "../../config.ts";
import { conflict, invalid, notFound, Problem, sentence } from "../../core/errors/problem.ts";
import { inRange4, parseIpv4, parseRange4 } from "../../core/net/net.ts";
import { titleOf, withGroups } from "../../devices/device.ts";
import { parseEndpoint } from "../endpoint.ts";
import { NOBODYS_KEY } from "../key_rules.ts";
import { isNobodysKey, publicKeyOf } from "../keys.ts";
import { networkOf, overlapWith, type UsedNetwork, usedNetworks } from "./networks.ts";
import { deviceOfKey } from "../peers/rules.ts";
import { sitePorts } from "../plan.ts";
import { MAX_SITES, type Site } from "../schema.ts";
import { requireFreePort, withWireguard } from "../server_rules.ts";
import { MASK, NONE, type SiteRequest } from "../wire.ts";

/** Keys for a new site, drawn once, so that deciding again gives the same ones. */
export interface MadeSiteKeys {
  readonly privateKey: string;
  readonly presharedKey: string;
  /** Private key for the other router, where that sent no public one. */
  readonly peerPrivateKey: string;
}

/** A site to add or change, with what the rule may not know itself. */
export interface PutSite {
  readonly request: SiteRequest;
  readonly made: MadeSiteKeys;
  /** Addresses that the router has outside the LAN, such as leased ones. */
  readonly others: readonly string[];
}

/** What became of a site. */
export interface SiteSet {
  readonly site: Site;
  /** Private key that was made for the other router; null where it has its own. */
  readonly peerPrivateKey: string | null;
  /** The preshared key was made or sent by this call, so that the response may show it. */
  readonly isNew: boolean;
}

/**
 * Adds a site, or changes the one with this name. Throws Problem 400 for keys and networks that cannot
 * be, 409 for ports and networks that are in use.
 */
export function putSite(config: Config, { request, made, others }: PutSite): [Config, SiteSet] {
  const { Sites } = config.wireguard;
  const old = Sites.find(({ Name }) => Name === request.Name);
  if (old === undefined && Sites.length >= MAX_SITES) {
    throw conflict(
      sentence("There are already {limit} sites, which is the maximum", { limit: MAX_SITES }),
    );
  }
  const sentKey = request.PeerPublicKey || old?.PeerPublicKey || "";
  const peerPrivateKey = sentKey === "" ? made.peerPrivateKey : null;
  const Networks = request.Networks ?? old?.Networks;
  if (Networks === undefined) {
    throw invalid("/Networks", "Write the networks behind the other router");
  }
  const Endpoint = request.Endpoint ?? old?.Endpoint ?? "";
  const site: Site = {
    Name: request.Name,
    Interface: old?.Interface ?? freeInterface(Sites),
    Enabled: request.Enabled ?? old?.Enabled ?? true,
    PrivateKey: request.PrivateKey || old?.PrivateKey || made.privateKey,
    ListenPort: request.ListenPort ?? old?.ListenPort ?? (Endpoint === "" ? freePort(config) : 0),
    Address: request.Address ?? old?.Address ?? "",
    MTU: request.MTU ?? old?.MTU ?? 0,
    PeerPublicKey: peerPrivateKey === null ? sentKey : publicKeyOf(peerPrivateKey),
    PresharedKey: presharedKey(old, request.PresharedKey, made.presharedKey),
    Endpoint,
    PersistentKeepalive: request.PersistentKeepalive ?? old?.PersistentKeepalive ?? 25,
    Networks,
    Policies: request.Policies ?? old?.Policies ?? [],
    Groups: request.Groups ?? old?.Groups ?? [],
  };
  requireKeys(config, site);
  requireNetworks(config, site, others);
  requirePort(config, site);
  const next = old === undefined ? [...Sites, site] : Sites.map((one) => one === old ? site : one);
  const groups = withGroups(config.groups, site.Groups);
  const named = groups === config.groups ? config : { ...config, groups };
  const isNew = old === undefined || !["", MASK].includes(request.PresharedKey ?? MASK);
  return [withWireguard(named, { ...config.wireguard, Sites: next }), {
    site,
    peerPrivateKey,
    isNew,
  }];
}

/** Removes a site with its tunnel. Throws Problem 404. */
export function deleteSite(config: Config, name: string): [Config, void] {
  const Sites = config.wireguard.Sites.filter(({ Name }) => Name !== name);
  if (Sites.length === config.wireguard.Sites.length) {
    throw notFound(sentence("There is no site {name}", { name }));
  }
  return [{ ...config, wireguard: { ...config.wireguard, Sites } }, undefined];
}

/** {@link NONE}, which only the file of another router says, is no key; "" is one that is made. */
function presharedKey(old: Site | undefined, sent: string | undefined, made: string): string {
  if (sent === NONE) return "";
  if (sent === undefined || sent === "" || sent === MASK) return old?.PresharedKey ?? made;
  return sent;
}

/** The lowest interface name that no other site has. */
function freeInterface(sites: readonly Site[]): string {
  const taken = new Set(sites.map(({ Interface }) => Interface));
  let number = 0;
  while (taken.has(`site${number}`)) number++;
  return `site${number}`;
}

/** The lowest port above that of the peers' tunnel that no site has. */
function freePort({ wireguard }: Config): number {
  const taken = new Set(sitePorts(wireguard).map(({ port }) => port));
  let port = wireguard.ListenPort + 1;
  while (taken.has(port) || port > 65535) port = port >= 65535 ? 1024 : port + 1;
  return port;
}

function requireKeys(config: Config, site: Site): void {
  const { PrivateKey, Sites, Peers } = config.wireguard;
  const key = site.PeerPublicKey;
  if (isNobodysKey(key)) throw invalid("/PeerPublicKey", NOBODYS_KEY);
  const others = Sites.filter(({ Name }) => Name !== site.Name);
  const own = [PrivateKey, site.PrivateKey, ...others.map((one) => one.PrivateKey)];
  if (own.map(publicKeyOf).includes(key)) {
    throw invalid(
      "/PeerPublicKey",
      "This is a key of this router; write the public key of the other one",
    );
  }
  const mine = publicKeyOf(site.PrivateKey);
  const other = others.find(({ PeerPublicKey }) => PeerPublicKey === mine);
  if (other !== undefined || Peers.some(({ PublicKey }) => PublicKey === mine)) {
    const whose = other === undefined ? "a VPN peer" : `the site ${other.Name}`;
    throw invalid("/PrivateKey", `This is the key of ${whose}; each router has its own`);
  }
  const twin = others.find(({ PeerPublicKey }) => PeerPublicKey === key);
  if (twin !== undefined) {
    throw conflict(sentence("This is the key of the site {name} already", { name: twin.Name }));
  }
  if (Peers.some(({ PublicKey }) => PublicKey === key)) {
    throw conflict("This is the key of a VPN peer already");
  }
  const holder = deviceOfKey(config, key);
  if (holder !== null) {
    throw conflict(`This is the key of ${titleOf(holder, config.devices[holder])}`, { holder });
  }
}

function requireNetworks(config: Config, site: Site, others: readonly string[]): void {
  const used = usedNetworks(config, { site: site.Name, others });
  const seen: UsedNetwork[] = [];
  site.Networks.forEach((network, index) => {
    const pointer = `/Networks/${index}`;
    const other = overlapWith(network, used);
    if (other !== undefined) throw overlapping(network, other, pointer);
    if (overlapWith(network, seen) !== undefined) {
      throw invalid(
        pointer,
        sentence("{network} and another of these networks overlap", { network }),
      );
    }
    seen.push({ network, use: "" });
  });
  const address = site.Address === "" ? undefined : overlapWith(networkOf(site.Address), used);
  if (address !== undefined) throw overlapping(site.Address, address, "/Address");
  const host = parseIpv4(parseEndpoint(site.Endpoint)?.host ?? "");
  const inside = [...site.Networks, ...(site.Address === "" ? [] : [networkOf(site.Address)])];
  const around = host === null ? undefined : inside.find((network) => {
    const range = parseRange4(network);
    return range !== null && inRange4(range, host);
  });
  if (around !== undefined) {
    throw invalid(
      "/Endpoint",
      sentence(
        "The endpoint lies in {around}, which is behind the tunnel itself; write its public address",
        { around },
      ),
    );
  }
}

function overlapping(
  network: string,
  { network: other, use }: UsedNetwork,
  pointer: string,
): Problem {
  const message =
    `${network} overlaps ${other}, which is ${use}. Two networks can only be joined ` +
    "where their addresses differ: change the subnet of one of the two routers first";
  return new Problem(409, message, { errors: [{ pointer, message }] });
}

function requirePort(config: Config, site: Site): void {
  const { wireguard } = config;
  if (site.ListenPort === 0) {
    if (site.Endpoint !== "") return;
    throw invalid(
      "/ListenPort",
      "Choose a port, or an endpoint of the other router: one of the two must be reachable",
    );
  }
  const others = { ...wireguard, Sites: wireguard.Sites.filter(({ Name }) => Name !== site.Name) };
  if (site.ListenPort === wireguard.ListenPort) {
    throw invalid("/ListenPort", "The VPN of this router uses this port; choose another");
  }
  const other = others.Sites.find(({ ListenPort }) =>
    ListenPort !== 0 && ListenPort === site.ListenPort
  );
  if (other !== undefined) {
    throw invalid(
      "/ListenPort",
      sentence("The site {site} uses this port; choose another", { site: other.Name }),
    );
  }
  if (site.Enabled) requireFreePort(config, site.ListenPort, "/ListenPort");
}
