import type { Config } from "../../config.ts";
import type { DesiredLink } from "../../core/kernel/desired.ts";
import type { Facts } from "../../core/kernel/facts.ts";
import { invalid } from "../../core/errors/problem.ts";
import type { Device } from "../../devices/schema.ts";

/** The subtype of a VLAN trunk. */
export const TRUNK = "VLAN-Trunk";

/** True for the interface of a station, by its name: `wlan0.4096` or `wlan0.ap0.4097` of `wlan0`. */
export function isStationInterface(points: readonly string[], link: string): boolean {
  return /\.\d+$/.test(link) && points.some((point) => link.startsWith(`${point}.`));
}

/** The tag of a VLAN interface, such as 30 of eth1.30; "" for any other. */
export function tagOf(config: Pick<Config, "interfaces">, link: string): string {
  const dot = link.lastIndexOf(".");
  const tag = link.slice(dot + 1);
  if (dot < 0 || !/^[1-9]\d{0,3}$/.test(tag)) return "";
  const isTrunk = config.interfaces.some(({ Name, Type, Subtype, Enabled }) =>
    Name === link.slice(0, dot) && Type === "Downlink" && Subtype === TRUNK && Enabled
  );
  return isTrunk ? tag : "";
}

/**
 * Refuses a device on the VLAN interface of another tag: a device that copies a MAC address on one VLAN must
 * not pass for a device of another. Throws Problem 400.
 */
export function requireTag(
  config: Pick<Config, "interfaces">,
  link: string,
  device: Pick<Device, "VLANTag">,
): void {
  const tag = tagOf(config, link);
  if (tag === "" || device.VLANTag === tag) return;
  const own = device.VLANTag === "" ? "has no VLAN tag" : `has the VLAN tag ${device.VLANTag}`;
  throw invalid("/Iface", `This device ${own}; only devices of the tag ${tag} are on ${link}`);
}

/** VLAN interfaces of trunks: one for every tag that a device has. */
export function trunkLinks(
  config: Pick<Config, "interfaces" | "devices">,
): readonly { readonly name: string; readonly parent: string; readonly tag: number }[] {
  const trunks = config.interfaces.filter(({ Type, Subtype, Enabled }) =>
    Type === "Downlink" && Subtype === TRUNK && Enabled
  );
  if (trunks.length === 0) return [];
  const tags = new Set(
    Object.values(config.devices).flatMap(({ VLANTag }) => VLANTag === "" ? [] : [Number(VLANTag)]),
  );
  return trunks.flatMap(({ Name }) =>
    [...tags].sort((a, b) => a - b).map((tag) => ({ name: `${Name}.${tag}`, parent: Name, tag }))
  ).filter(({ name }) => name.length <= 15); // IFNAMSIZ
}

/** VLAN interfaces of PPPoE accounts. */
function pppoeVlanLinks(
  config: Pick<Config, "interfaces" | "ppp">,
): readonly { readonly name: string; readonly parent: string; readonly tag: number }[] {
  const uplinks = config.interfaces.filter(({ Type, Subtype, Enabled }) =>
    Type === "Uplink" && Subtype === "pppup" && Enabled
  );
  return config.ppp.filter(({ Iface, VLAN, Enabled }) =>
    Enabled && VLAN !== "" && uplinks.some(({ Name }) => Name === Iface)
  ).map(({ Iface, VLAN }) => ({ name: `${Iface}.${VLAN}`, parent: Iface, tag: Number(VLAN) }))
    .filter(({ name }) => name.length <= 15);
}

/** All VLAN interfaces, where the kernel supports them and their parents are present. */
export function vlanLinks(
  config: Pick<Config, "interfaces" | "devices" | "ppp">,
  facts: Facts,
): readonly DesiredLink[] {
  if (!facts.capabilities.vlan) return [];
  const present = new Set(facts.links.map(({ name }) => name));
  return [...trunkLinks(config), ...pppoeVlanLinks(config)]
    .filter(({ parent }) => present.has(parent))
    .map(({ name, parent, tag }) => ({ name, create: "vlan", vlan: { parent, tag }, up: true }));
}
