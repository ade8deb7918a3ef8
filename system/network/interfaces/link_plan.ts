import type { Config } from "../../config.ts";
import type { Observations } from "../../core/engine/change.ts";
import type { DesiredAddress, DesiredLink, UplinkPath } from "../../core/kernel/desired.ts";
import type { Facts } from "../../core/kernel/facts.ts";
import { overlaps4, parseRange4, type Range4 } from "../../core/net/net.ts";
import { LAN_LINK } from "../lan_subnets.ts";
import type { Interface } from "./schema.ts";
import { vlanLinks } from "./vlan_links.ts";

/** MTU that every host must take (RFC 791 3.1): a lease may not set less. */
const MIN_MTU = 576;
/** MTU of Ethernet (RFC 894): a lease may not set more. */
const MAX_MTU = 1500;

/** The link of the router's LAN addresses; null where the kernel can create none. */
export function lanLink(facts: Facts): DesiredLink | null {
  const { dummy, bridge } = facts.capabilities;
  if (!dummy && !bridge) return null;
  return { name: LAN_LINK, create: dummy ? "dummy" : "bridge", up: true };
}

/** The configured MAC address of an interface; "" for the hardware's. */
export function configuredMac(one: Interface): string {
  return one.MACOverride !== "" ? one.MACOverride : one.MACRandomize ? one.RandomMAC : "";
}

/** What links are planned from. */
interface LinkSources {
  readonly config: Pick<Config, "interfaces" | "devices" | "ppp">;
  readonly facts: Facts;
  readonly paths: readonly UplinkPath[];
  readonly observed: Pick<Observations, "uplinks">;
}

/** Whether the MTU of a lease is accepted. */
function isUsable(mtu: number | null | undefined): mtu is number {
  return typeof mtu === "number" && mtu >= MIN_MTU && mtu <= MAX_MTU;
}

/** The MTU of a lease, or the one from before the lease; undefined leaves it unchanged. */
function packetSize(
  leased: number | null | undefined,
  own: number | undefined,
): number | undefined {
  return isUsable(leased) ? leased : own;
}

/** Configured interfaces that are present, then the VLANs on them. */
export function configuredLinks(sources: LinkSources): readonly DesiredLink[] {
  const { config, facts, paths, observed } = sources;
  const present = new Set(facts.links.map(({ name }) => name));
  const mtus = new Map(paths.map(({ link, mtu }) => [link, mtu]));
  const chosen = config.interfaces
    // hostapd brings access points up.
    .filter(({ Type, Name }) => Type !== "AP" && present.has(Name))
    .filter((one) => one.Type !== "Other" || one.State !== "" || configuredMac(one) !== "")
    .map((one): DesiredLink => {
      const mac = configuredMac(one);
      const mtu = packetSize(mtus.get(one.Name), observed.uplinks?.[one.Name]?.ownMtu);
      return {
        name: one.Name,
        create: null,
        ...(mac === "" ? {} : { mac }),
        ...(mtu === undefined ? {} : { mtu }),
        up: one.Type === "Other" ? one.State !== "down" : one.Enabled,
      };
    });
  return [...chosen, ...vlanLinks(config, facts)];
}

/** Addresses beside those of uplinks: additional ones, and static ones of other interfaces. */
export function additionalAddresses(
  { config, facts, ranges }: {
    readonly config: Pick<Config, "interfaces">;
    readonly facts: Facts;
    readonly ranges: readonly Range4[];
  },
): readonly DesiredAddress[] {
  const present = new Set(facts.links.map(({ name }) => name));
  const free = (address: string): boolean => {
    const range = parseRange4(address);
    return range !== null && !ranges.some((one) => overlaps4(one, range));
  };
  return config.interfaces.filter(({ Enabled, Name, Type }) =>
    Enabled && Type !== "AP" && present.has(Name)
  ).flatMap((one) => {
    const own = one.Type === "Uplink" || one.IP === "" ? [] : [one.IP];
    return [...own, ...one.AdditionalIPs.map(({ IP }) => IP)].filter(free)
      .map((address) => ({
        link: one.Name,
        address: address.includes("/") ? address : `${address}/32`,
      }));
  });
}
