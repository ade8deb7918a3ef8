import type { Config } from "../../config.ts";
import type { DesiredLink, Facts } from "../../core/kernel/host.ts";
import { invalid } from "../../core/errors/problem.ts";
import type { Device } from "../../devices/schema.ts";

/** The subtype of a downlink that carries tagged devices. */
export const TRUNK = "VLAN-Trunk";

/** The tag of a trunk's link, such as 30 of eth1.30; "" for any other link. */
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
 * Refuses a trunk's link as the place of a device of another tag, or of none: whoever copies a card's
 * address on one VLAN must not pass for a device of another. Throws Problem 400.
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

/** Links of tagged devices: each trunk has one for every tag that a device has. */
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

/** Links of access accounts that are dialled on a VLAN. */
function accountLinks(
  config: Pick<Config, "interfaces" | "ppp">,
): readonly { readonly name: string; readonly parent: string; readonly tag: number }[] {
  const dialled = config.interfaces.filter(({ Type, Subtype, Enabled }) =>
    Type === "Uplink" && Subtype === "pppup" && Enabled
  );
  return config.ppp.filter(({ Iface, VLAN, Enabled }) =>
    Enabled && VLAN !== "" && dialled.some(({ Name }) => Name === Iface)
  ).map(({ Iface, VLAN }) => ({ name: `${Iface}.${VLAN}`, parent: Iface, tag: Number(VLAN) }))
    .filter(({ name }) => name.length <= 15);
}

/** The VLANs that are to be, where the kernel can make them and their parents are there. */
export function vlanLinks(
  config: Pick<Config, "interfaces" | "devices" | "ppp">,
  facts: Facts,
): readonly DesiredLink[] {
  if (!facts.capabilities.vlan) return [];
  const present = new Set(facts.links.map(({ name }) => name));
  return [...trunkLinks(config), ...accountLinks(config)]
    .filter(({ parent }) => present.has(parent))
    .map(({ name, parent, tag }) => ({ name, create: "vlan", vlan: { parent, tag }, up: true }));
}
