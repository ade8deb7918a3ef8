import type { Config } from "../config.ts";
import type { Observed } from "../core/engine/change.ts";
import { changedMembers } from "../core/config/derived.ts";
import type { Facts } from "../core/kernel/host.ts";
import { formatIpv4, inRange4, parseIpv4, parseRange4, type Range4 } from "../core/net/net.ts";
import type { Device } from "../devices/schema.ts";
import type { Place } from "../firewall/sets/device_elements.ts";
import { noteRenewed } from "../firewall/sets/renewed.ts";
import type { Interface } from "./schema.ts";
import { tagOf, TRUNK } from "./links/vlan_links.ts";

/** What each link is for, from the configuration. */
export interface Roles {
  readonly uplinks: readonly string[];
  readonly downlinks: readonly string[];
  readonly accessPoints: readonly string[];
  /** Downlinks that carry tagged devices. */
  readonly trunks: readonly string[];
}

/** The enabled links by what they are for. */
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

/** True for a link that devices at home may be on: a downlink, a station's link, or a part of one. */
function isHome(link: string, role: Roles): boolean {
  return [...role.downlinks, ...role.accessPoints].some((name) =>
    link === name || link.startsWith(`${name}.`)
  );
}

/** Where the kernel's own tables say that an address is. */
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

/** True when the device takes part in the network at all. */
function takesPart(device: Device): boolean {
  return !device.DeviceDisabled && !device.Policies.includes("disabled");
}

/** Home networks as spans, in the order of the configuration. */
export function homeRanges(networks: readonly string[]): readonly Range4[] {
  return networks.flatMap((text) => parseRange4(text) ?? []);
}

interface Placed {
  readonly devices: Config["devices"];
  readonly interfaces: Config["interfaces"];
  readonly networks: readonly string[];
  readonly observed: Observed["devices"];
  readonly facts: Facts;
  readonly places: readonly Place[];
  /** Where each device stands among the places. */
  readonly index: ReadonlyMap<string, number>;
}

// The last answer: a device whose policies change stays where it is, and all others with it.
let last: Placed | null = null;

/** True when everything that says where a device is stayed as it was. */
function staysPut(before: Device, after: Device): boolean {
  return before.RecentIP === after.RecentIP && before.MAC === after.MAC &&
    before.WGPubKey === after.WGPubKey && before.PSKEntry.Type === after.PSKEntry.Type &&
    before.VLANTag === after.VLANTag && takesPart(before) === takesPart(after);
}

/** The last answer with some devices anew, all of which stay where they are; null where that is not so. */
function placesAgain(
  config: Config,
  observed: Observed,
  facts: Facts,
  networks: readonly string[],
): Placed | null {
  if (
    last === null || last.interfaces !== config.interfaces || last.facts !== facts ||
    last.networks !== networks || last.observed !== observed.devices
  ) return null;
  const { devices, index } = last;
  const changed = changedMembers(devices, config.devices);
  if (!changed?.every((identity) => staysPut(devices[identity]!, config.devices[identity]!))) {
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
 * Where every device is, in the order of the configuration: the link it was last seen on, else the
 * one that the kernel's tables still hold for its address, else (no Wi-Fi identity) the first
 * downlink. Without a link, or with an address that is no device's in a home network or belongs to
 * an earlier device, a device has no place. `networks`: all that are home now.
 */
export function placeDevices(
  config: Config,
  observed: Observed,
  facts: Facts,
  networks: readonly string[] = config.dhcp.TinyNets,
): readonly Place[] {
  const again = placesAgain(config, observed, facts, networks);
  if (again !== null) {
    last = again;
    return again.places;
  }
  const places = placeAll(config, observed, facts, networks);
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

function placeAll(
  config: Config,
  observed: Observed,
  facts: Facts,
  networks: readonly string[],
): readonly Place[] {
  const role = roles(config.interfaces);
  const ranges = homeRanges(networks);
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
    if (known === undefined) home.set(link, known = isHome(link, role));
    if (!known || device.MAC === "") return false;
    let tag = tags.get(link);
    if (tag === undefined) tags.set(link, tag = tagOf(config, link));
    // A trunk's link is for devices of its tag alone.
    return tag === "" || tag === device.VLANTag;
  };
  const taken = new Set<number>();
  const places: Place[] = [];
  for (const [identity, device] of Object.entries(config.devices)) {
    if (!takesPart(device)) continue;
    const address = parseIpv4(device.RecentIP);
    // A device is the second address of its four.
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

/** Where a device that was never seen is, unless it is a station: a tagged one on the first trunk. */
function wiredLink(device: Device, role: Roles): string | undefined {
  const [trunk] = device.VLANTag === "" ? [] : role.trunks;
  return trunk === undefined ? role.downlinks[0] : `${trunk}.${device.VLANTag}`;
}

/** Every link that devices at home are or may be on. */
export function homeLinks(role: Roles, places: readonly Place[], facts: Facts): readonly string[] {
  const uplinks = new Set(role.uplinks);
  const parts = facts.links.map((link) => link.name).filter((name) =>
    name.includes(".") && isHome(name, role)
  );
  const all = new Set([...role.downlinks, ...parts, ...places.map((place) => place.link)]);
  return [...all].filter((name) => !uplinks.has(name));
}
