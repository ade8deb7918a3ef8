import type { Config } from "../config.ts";
import type { ChangeEngine } from "../core/engine/change.ts";
import { formatIpv4, parseIpv4 } from "../core/net/net.ts";
import { hasPlan } from "../network/has_plan.ts";
import { mdnsName } from "./rules.ts";
import { parseGroup, type RelayLink, type RelayPlan } from "./schema.ts";

/** Inputs of the plan. */
export interface RelaySources {
  readonly engine: Pick<ChangeEngine<Config>, "config" | "network" | "desired">;
  /** The machine's host name, used where none is configured. */
  readonly hostName: string;
}

const IDLE: RelayPlan = { tag: "nothing", decided: true, links: [], groups: [], name: null };
const UNDECIDED: RelayPlan = { ...IDLE, tag: "undecided", decided: false };

/**
 * The plan of multicastd: nothing where the network is not applied, else every enabled group on every
 * LAN interface. Uplinks are never included.
 */
export function relayPlan({ engine, hostName }: RelaySources): RelayPlan {
  const { config } = engine;
  if (config.multicast.Disabled) return IDLE;
  if (!hasPlan(engine.network)) return UNDECIDED;
  if (engine.network.state !== "applied") return IDLE;
  const plan = {
    decided: true,
    links: lanLinks(engine),
    groups: config.multicast.Addresses.flatMap(({ Address, Disabled, Tags }) => {
      const group = parseGroup(Address);
      return group === null || Disabled ? [] : [{ ...group, tags: Tags }];
    }),
    name: mdnsName(config.multicast, config.hostName || hostName),
  };
  return { tag: fingerprint(JSON.stringify(plan)), ...plan };
}

function lanLinks({ config, desired }: RelaySources["engine"]): RelayLink[] {
  const uplinks = new Set(
    config.interfaces.filter(({ Type }) => Type === "Uplink").map(({ Name }) => Name),
  );
  const tags = tagsByAddress(config);
  const links = new Map<
    string,
    { addresses: Set<string>; tags: Set<string>; peers: Set<string> }
  >();
  const link = (name: string) => {
    let found = links.get(name);
    if (!found) {
      links.set(name, found = { addresses: new Set(), tags: new Set(), peers: new Set() });
    }
    return found;
  };
  for (const { Name, Type, Enabled } of config.interfaces) {
    if (Type === "Downlink" && Enabled) link(Name);
  }
  // Devices of each interface: permanent neighbours, or tunnel peers in the router's /30.
  for (const { address, link: name } of desired.neighbours) {
    for (const tag of tags.get(address) ?? []) link(name).tags.add(tag);
    link(name);
  }
  for (const { link: name, address } of desired.addresses) {
    const peer = /^wg\d+$/.test(name) ? tunnelPeer(address) : null;
    if (peer === null || !tags.has(peer)) continue;
    link(name).peers.add(peer);
    for (const tag of tags.get(peer)!) link(name).tags.add(tag);
  }
  for (const { link: name, address } of desired.addresses) {
    links.get(name)?.addresses.add(address.split("/")[0]!);
  }
  return [...links].filter(([name]) => !uplinks.has(name))
    .map(([name, of]) => ({
      name,
      addresses: [...of.addresses].sort(),
      tags: [...of.tags].sort(),
      peers: [...of.peers].sort(),
    }))
    .sort((a, b) => a.name < b.name ? -1 : 1);
}

/** The tunnel peer of the router's address in a /30; null for another address. */
function tunnelPeer(address: string): string | null {
  const [host = "", prefix] = address.split("/");
  const value = parseIpv4(host);
  return value === null || prefix !== "30" ? null : formatIpv4(value + 1);
}

function tagsByAddress(config: Config): ReadonlyMap<string, readonly string[]> {
  return new Map(
    Object.values(config.devices).filter(({ RecentIP }) => RecentIP !== "")
      .map(({ RecentIP, DeviceTags }) => [RecentIP, DeviceTags]),
  );
}

/** FNV-1a of the text with two bases: distinguishes plans, not for security. */
export function fingerprint(text: string): string {
  const hash = (base: number): string => {
    let value = base;
    for (let i = 0; i < text.length; i++) {
      value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
    }
    return (value >>> 0).toString(16).padStart(8, "0");
  };
  return hash(0x811c9dc5) + hash(0x9747b28c);
}
