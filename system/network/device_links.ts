import type { Config } from "../config.ts";
import type { Observations } from "../core/engine/change.ts";
import { changedMembers, differingMembers, grownMembers, onceEach } from "../core/config/memo.ts";
import type { Facts } from "../core/kernel/facts.ts";
import { formatIpv4, inRange4, parseRange4, type Range4 } from "../core/net/net.ts";
import type { Device } from "../devices/schema.ts";
import { heldAddress } from "../dhcp/tiny_net.ts";
import { type LocatedDevice, replacedDevices } from "../firewall/sets/device_elements.ts";
import type { Interface } from "./interfaces/schema.ts";
import { peerKeys } from "../wireguard/plan.ts";
import { TUNNEL } from "../wireguard/schema.ts";
import { revokedAddresses } from "../wireguard/tunnels/revoked.ts";
import { tagOf, TRUNK } from "./interfaces/vlan_links.ts";

/** The enabled interfaces by role. */
export interface Roles {
  readonly uplinks: readonly string[];
  readonly downlinks: readonly string[];
  readonly accessPoints: readonly string[];
  /** Downlinks that are VLAN trunks. */
  readonly trunks: readonly string[];
}

/** The enabled interfaces by role. */
export function roles(interfaces: readonly Interface[]): Roles {
  const named = (type: Interface["Type"]): readonly string[] =>
    interfaces.filter((one) => one.Enabled && one.Type === type).map((one) => one.Name);
  return {
    uplinks: named("Uplink"),
    downlinks: named("Downlink"),
    accessPoints: named("AP"),
    trunks: interfaces.filter((one) => one.Enabled && one.Type === "Downlink")
      .filter(({ Subtype }) => Subtype === TRUNK).map(({ Name }) => Name),
  };
}

/** True for a LAN link: a downlink, a station's link, or a sub-interface of one. */
function isLanLink(link: string, role: Roles): boolean {
  return [...role.downlinks, ...role.accessPoints].some((name) =>
    link === name || link.startsWith(`${name}.`)
  );
}

/**
 * Answers whether a link may have a device with a MAC address: one of the LAN, and where it is a VLAN
 * interface, the one of the device's tag.
 */
export function lanCarrier(
  config: Pick<Config, "interfaces">,
  role = roles(config.interfaces),
): (link: string, device: Device) => boolean {
  const home = new Map<string, boolean>();
  const tags = new Map<string, string>();
  return (link, device) => {
    let known = home.get(link);
    if (known === undefined) {
      home.set(link, known = !role.uplinks.includes(link) && isLanLink(link, role));
    }
    if (!known || device.MAC === "") return false;
    let tag = tags.get(link);
    if (tag === undefined) tags.set(link, tag = tagOf(config, link));
    return tag === "" || tag === device.VLANTag;
  };
}

/** The link of each device address by the kernel's routes and neighbours. */
const linksOfAddresses = onceEach((facts: Facts): ReadonlyMap<string, string> => {
  const links = new Map<string, string>();
  for (const route of facts.routes) {
    const range = route.link === null ? null : parseRange4(route.destination);
    // A tiny net's route: its device is the second address of the four.
    if (range?.prefix === 30) links.set(formatIpv4(range.first + 2), route.link!);
  }
  for (const neighbour of facts.neighbours) {
    if (neighbour.permanent) links.set(neighbour.address, neighbour.link);
  }
  return links;
});

/** True when the device is enabled. */
function isEnabled(device: Device): boolean {
  return !device.DeviceDisabled && !device.Policies.includes("disabled");
}

/** LAN subnets as ranges, in the order of the configuration. */
export function lanRanges(networks: readonly string[]): readonly Range4[] {
  return networks.flatMap((text) => parseRange4(text) ?? []);
}

interface Located {
  readonly devices: Config["devices"];
  readonly interfaces: Config["interfaces"];
  readonly wireguard: Config["wireguard"];
  readonly networks: readonly string[];
  readonly observed: Observations["devices"];
  readonly tunnels: Observations["tunnels"];
  readonly facts: Facts;
  readonly list: readonly LocatedDevice[];
  /** Index of each device in the list; like `taken`, it goes along with the last result alone. */
  readonly index: Map<string, number>;
  /** The addresses of the devices in the list. */
  readonly taken: Set<number>;
}

/** The last result: a change of policies moves no device. */
export interface LocatedMemo {
  located: Located | null;
}

/** True when nothing changed that decides the link of a device. */
function sameLink(before: Device, after: Device): boolean {
  return before.RecentIP === after.RecentIP && before.MAC === after.MAC &&
    before.WGPubKey === after.WGPubKey && before.PSKEntry.Type === after.PSKEntry.Type &&
    before.VLANTag === after.VLANTag && isEnabled(before) === isEnabled(after);
}

/**
 * The last result with changed devices replaced and new ones behind them; null where one that was there
 * may have moved.
 */
function updateLast(last: Located | null, sources: LocateSources): Located | null {
  const { config, observed, facts, networks } = sources;
  if (
    last === null || last.interfaces !== config.interfaces || last.facts !== facts ||
    last.wireguard !== config.wireguard || last.networks !== networks ||
    last.tunnels !== observed.tunnels
  ) return null;
  const { devices } = last;
  const { changed, added } = grownMembers(devices, config.devices) ??
    comparedMembers(devices, config.devices);
  if (added === null || !isSeenAlike(last, observed.devices)) return null;
  if (!changed.every((identity) => sameLink(devices[identity]!, config.devices[identity]!))) {
    return null;
  }
  return withMembers({ ...last, devices: config.devices, observed: observed.devices }, {
    replaced: changed.filter((identity) => last.index.has(identity)),
    added: added.length === 0 ? [] : locateAdded(added, last, sources),
  });
}

/** A result with devices replaced by those of its configuration, and further ones behind them. */
function withMembers(
  result: Located,
  { replaced, added }: {
    readonly replaced: readonly string[];
    readonly added: readonly LocatedDevice[];
  },
): Located {
  if (replaced.length === 0 && added.length === 0) return result;
  const { devices, index } = result;
  const list = result.list.slice();
  for (const identity of replaced) {
    const at = index.get(identity)!;
    list[at] = { ...list[at]!, device: devices[identity]! };
  }
  const positions = replaced.map((identity) => index.get(identity)!);
  for (const one of added) positions.push(list.push(one) - 1);
  replacedDevices.note(result.list, list, positions);
  for (const { identity } of added) index.set(identity, index.size);
  return { ...result, list };
}

/** Where new devices are, of those that have a place. */
function locateAdded(
  identities: readonly string[],
  { taken }: Located,
  sources: LocateSources,
): readonly LocatedDevice[] {
  const locate = locator(sources, taken);
  return identities.flatMap((identity) => locate(identity) ?? []);
}

/** True when no device that was there was seen on another link since. */
function isSeenAlike({ devices, observed }: Located, now: Observations["devices"]): boolean {
  return differingMembers(observed, now).every((identity) =>
    !Object.hasOwn(devices, identity) ||
    (observed[identity]?.link ?? null) === (now[identity]?.link ?? null)
  );
}

/** Members that changed, and new ones behind all that were there, null where names are gone or elsewhere. */
function comparedMembers(
  before: Config["devices"],
  after: Config["devices"],
): { readonly changed: readonly string[]; readonly added: readonly string[] | null } {
  const known = changedMembers(before, after);
  if (known !== null) return { changed: known, added: [] };
  const [old, now] = [Object.keys(before), Object.keys(after)];
  if (now.length <= old.length || !old.every((name, at) => name === now[at])) {
    return { changed: [], added: null };
  }
  return {
    changed: differingMembers(before, after).filter((name) => Object.hasOwn(before, name)),
    added: now.slice(old.length),
  };
}

/** What the interfaces of devices follow from. */
export interface LocateSources {
  readonly config: Config;
  readonly observed: Observations;
  readonly facts: Facts;
  /** All LAN subnets. */
  readonly networks: readonly string[];
}

/**
 * The link of every device, in the order of the configuration: the one it was last seen on, else the
 * one that the kernel has for its address, else (no Wi-Fi identity) the first downlink, else (a VPN
 * peer) the tunnel. No device is in the tunnel while that may take its address from a revoked key, and
 * no peer of ours while the tunnel is off. Left out is a device without a link, with an address outside
 * the LAN subnets, or with that of an earlier device.
 */
export function locateDevices(
  sources: LocateSources,
  memo: LocatedMemo = { located: null },
): readonly LocatedDevice[] {
  const updated = updateLast(memo.located, sources);
  if (updated !== null) {
    memo.located = updated;
    return updated.list;
  }
  const { config, observed, facts, networks } = sources;
  const taken = new Set<number>();
  const list = locateAll(sources, taken);
  memo.located = {
    devices: config.devices,
    interfaces: config.interfaces,
    wireguard: config.wireguard,
    networks,
    observed: observed.devices,
    tunnels: observed.tunnels,
    facts,
    list,
    index: new Map(list.map(({ identity }, at) => [identity, at])),
    taken,
  };
  return list;
}

/** Places of one device that are kept: in two configurations it is mostly in one and the same. */
const MAX_PLACES = 4;

/** The places that a device had when all were located, by link. */
const placesOf = onceEach((_: Device) => new Map<string, LocatedDevice>());

/**
 * Every device anew; one that stands as it did is the same object again, also after another configuration
 * was looked at, as a preview does: what follows from it is kept with it.
 */
function locateAll(sources: LocateSources, taken: Set<number>): readonly LocatedDevice[] {
  const locate = locator(sources, taken);
  const list: LocatedDevice[] = [];
  for (const identity of Object.keys(sources.config.devices)) {
    const located = locate(identity);
    if (located === null) continue;
    const places = placesOf(located.device);
    const before = places.get(located.link);
    const same = before?.identity === identity && before.tunnel === located.tunnel;
    list.push(same ? before : located);
    if (same) continue;
    if (places.size >= MAX_PLACES) places.clear();
    places.set(located.link, located);
  }
  return list;
}

/**
 * Answers where a device is, null for nowhere, and takes its address. `taken`: the addresses of earlier
 * devices.
 */
function locator(
  { config, observed, facts, networks }: LocateSources,
  taken: Set<number>,
): (identity: string) => LocatedDevice | null {
  const role = roles(config.interfaces);
  const ranges = lanRanges(networks);
  const kernel = linksOfAddresses(facts);
  const tunnels = new Set(
    facts.links.filter((link) => link.kind === "wireguard").map((link) => link.name),
  );
  const isTunnel = (link: string): boolean => tunnels.has(link) || /^wg\d+$/.test(link);
  const peers = peerKeys(config.wireguard);
  const isThere = facts.links.some(({ name }) => name === TUNNEL);
  const revoked = revokedAddresses(isThere ? observed.tunnels : {});
  const mayCall = ({ WGPubKey, RecentIP }: Device): boolean =>
    WGPubKey !== "" && !revoked.has(RecentIP) &&
    (config.wireguard.Enabled || !peers.has(WGPubKey));
  const uplinks = new Set(role.uplinks);
  const carries = lanCarrier(config, role);
  const mayCarry = (link: string, device: Device): boolean =>
    !uplinks.has(link) && (isTunnel(link) ? mayCall(device) : carries(link, device));
  return (identity) => {
    const device = config.devices[identity]!;
    if (!isEnabled(device)) return null;
    const address = heldAddress(device);
    // A device has the second host address of its /30.
    if (address === null || address % 4 !== 2 || taken.has(address)) return null;
    if (!ranges.some((range) => inRange4(range, address))) return null;
    const wired = device.PSKEntry.Type === "" ? wiredLink(device, role) : undefined;
    const tunnelled = peers.has(device.WGPubKey) ? TUNNEL : undefined;
    const link = [observed.devices[identity]?.link, kernel.get(device.RecentIP), wired, tunnelled]
      .find((name) => typeof name === "string" && mayCarry(name, device));
    if (!link) return null;
    taken.add(address);
    return { identity, device, link, tunnel: isTunnel(link) };
  };
}

/** The link of a wired device that was never seen: a tagged one is on the first trunk. */
function wiredLink(device: Device, role: Roles): string | undefined {
  const [trunk] = device.VLANTag === "" ? [] : role.trunks;
  return trunk === undefined ? role.downlinks[0] : `${trunk}.${device.VLANTag}`;
}

/** Every LAN link. */
export function lanLinks(
  role: Roles,
  devices: readonly LocatedDevice[],
  facts: Facts,
): readonly string[] {
  const uplinks = new Set(role.uplinks);
  const parts = facts.links.map((link) => link.name).filter((name) =>
    name.includes(".") && isLanLink(name, role)
  );
  const all = new Set([...role.downlinks, ...parts, ...devices.map((device) => device.link)]);
  return [...all].filter((name) => !uplinks.has(name));
}
