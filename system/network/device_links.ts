import type { Config } from "../config.ts";
import type { Observations } from "../core/engine/change.ts";
import { changedMembers } from "../core/config/derived.ts";
import type { Facts } from "../core/kernel/host.ts";
import { formatIpv4, inRange4, parseIpv4, parseRange4, type Range4 } from "../core/net/net.ts";
import type { Device } from "../devices/schema.ts";
import type { Place } from "../firewall/sets/device_elements.ts";
import { noteRenewed } from "../firewall/sets/renewed.ts";
import type { Interface } from "./interfaces/schema.ts";
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

/** The link of each device address by the kernel's routes and neighbours. */
function linksOfAddresses(facts: Facts): ReadonlyMap<string, string> {
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
}

/** True when the device is enabled. */
function isEnabled(device: Device): boolean {
  return !device.DeviceDisabled && !device.Policies.includes("disabled");
}

/** LAN subnets as ranges, in the order of the configuration. */
export function lanRanges(networks: readonly string[]): readonly Range4[] {
  return networks.flatMap((text) => parseRange4(text) ?? []);
}

interface LastResult {
  readonly devices: Config["devices"];
  readonly interfaces: Config["interfaces"];
  readonly networks: readonly string[];
  readonly observed: Observations["devices"];
  readonly facts: Facts;
  readonly places: readonly Place[];
  /** Index of each device in the list. */
  readonly index: ReadonlyMap<string, number>;
}

// The last result: a change of policies moves no device.
let last: LastResult | null = null;

/** True when nothing changed that decides the link of a device. */
function sameLink(before: Device, after: Device): boolean {
  return before.RecentIP === after.RecentIP && before.MAC === after.MAC &&
    before.WGPubKey === after.WGPubKey && before.PSKEntry.Type === after.PSKEntry.Type &&
    before.VLANTag === after.VLANTag && isEnabled(before) === isEnabled(after);
}

/** The last result with changed devices replaced; null where one of them may have moved. */
function updateLast(
  config: Config,
  observed: Observations,
  facts: Facts,
  networks: readonly string[],
): LastResult | null {
  if (
    last === null || last.interfaces !== config.interfaces || last.facts !== facts ||
    last.networks !== networks || last.observed !== observed.devices
  ) return null;
  const { devices, index } = last;
  const changed = changedMembers(devices, config.devices);
  if (!changed?.every((identity) => sameLink(devices[identity]!, config.devices[identity]!))) {
    return null;
  }
  const moved = changed.filter((identity) => index.has(identity));
  if (moved.length === 0) return { ...last, devices: config.devices };
  const places = last.places.slice();
  for (const identity of moved) {
    const at = index.get(identity)!;
    places[at] = { ...places[at]!, device: config.devices[identity]! };
  }
  noteRenewed(last.places, places, moved.map((identity) => index.get(identity)!));
  return { ...last, devices: config.devices, places };
}

/**
 * The link of every device, in the order of the configuration: the one it was last seen on, else the
 * one that the kernel has for its address, else (no Wi-Fi identity) the first downlink. Left out is a
 * device without a link, with an address outside the LAN subnets, or with that of an earlier device.
 * `networks`: all LAN subnets.
 */
export function locateDevices(
  config: Config,
  observed: Observations,
  facts: Facts,
  networks: readonly string[] = config.dhcp.TinyNets,
): readonly Place[] {
  const updated = updateLast(config, observed, facts, networks);
  if (updated !== null) {
    last = updated;
    return updated.places;
  }
  const places = locateAll(config, observed, facts, networks);
  last = {
    devices: config.devices,
    interfaces: config.interfaces,
    networks,
    observed: observed.devices,
    facts,
    places,
    index: new Map(places.map(({ identity }, at) => [identity, at])),
  };
  return places;
}

function locateAll(
  config: Config,
  observed: Observations,
  facts: Facts,
  networks: readonly string[],
): readonly Place[] {
  const role = roles(config.interfaces);
  const ranges = lanRanges(networks);
  const kernel = linksOfAddresses(facts);
  const tunnels = new Set(
    facts.links.filter((link) => link.kind === "wireguard").map((link) => link.name),
  );
  const isTunnel = (link: string): boolean => tunnels.has(link) || /^wg\d+$/.test(link);
  const uplinks = new Set(role.uplinks);
  const home = new Map<string, boolean>();
  const tags = new Map<string, string>();
  const mayCarry = (link: string, device: Device): boolean => {
    if (uplinks.has(link)) return false;
    if (isTunnel(link)) return device.WGPubKey !== "";
    let known = home.get(link);
    if (known === undefined) home.set(link, known = isLanLink(link, role));
    if (!known || device.MAC === "") return false;
    let tag = tags.get(link);
    if (tag === undefined) tags.set(link, tag = tagOf(config, link));
    // A VLAN interface is for devices of its tag only.
    return tag === "" || tag === device.VLANTag;
  };
  const taken = new Set<number>();
  const places: Place[] = [];
  for (const [identity, device] of Object.entries(config.devices)) {
    if (!isEnabled(device)) continue;
    const address = parseIpv4(device.RecentIP);
    // A device has the second host address of its /30.
    if (address === null || address % 4 !== 2 || taken.has(address)) continue;
    if (!ranges.some((range) => inRange4(range, address))) continue;
    const wired = device.PSKEntry.Type === "" ? wiredLink(device, role) : undefined;
    const link = [observed.devices[identity]?.link, kernel.get(device.RecentIP), wired]
      .find((name) => typeof name === "string" && mayCarry(name, device));
    if (!link) continue;
    taken.add(address);
    places.push({ identity, device, link, tunnel: isTunnel(link) });
  }
  return places;
}

/** The link of a wired device that was never seen: a tagged one is on the first trunk. */
function wiredLink(device: Device, role: Roles): string | undefined {
  const [trunk] = device.VLANTag === "" ? [] : role.trunks;
  return trunk === undefined ? role.downlinks[0] : `${trunk}.${device.VLANTag}`;
}

/** Every LAN link. */
export function lanLinks(role: Roles, places: readonly Place[], facts: Facts): readonly string[] {
  const uplinks = new Set(role.uplinks);
  const parts = facts.links.map((link) => link.name).filter((name) =>
    name.includes(".") && isLanLink(name, role)
  );
  const all = new Set([...role.downlinks, ...parts, ...places.map((place) => place.link)]);
  return [...all].filter((name) => !uplinks.has(name));
}
