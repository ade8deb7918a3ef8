import type { Config } from "../../config.ts";
import type { Observed } from "../../core/engine/change.ts";
import type { DesiredAddress, DesiredLink, Facts, UplinkPath } from "../../core/kernel/host.ts";
import { overlaps4, parseRange4, type Range4 } from "../../core/net/net.ts";
import { LAN_LINK } from "./former.ts";
import type { Interface } from "../schema.ts";
import { vlanLinks } from "./vlan_links.ts";

/** Fewest bytes of a packet that every host must take (RFC 791 3.1): a lease may not ask for less. */
const LEAST_MTU = 576;
/** What Ethernet carries (RFC 894): a lease may not ask for more. */
const MOST_MTU = 1500;

/** The link of the router's own addresses at home; null where the kernel can make none. */
export function lanLink(facts: Facts): DesiredLink | null {
  const { dummy, bridge } = facts.capabilities;
  if (!dummy && !bridge) return null;
  return { name: LAN_LINK, create: dummy ? "dummy" : "bridge", up: true };
}

/** The card's address that was chosen for a link; "" where it keeps its own. */
export function chosenMac(one: Interface): string {
  return one.MACOverride !== "" ? one.MACOverride : one.MACRandomize ? one.RandomMAC : "";
}

/** What links are planned from. */
interface LinkSources {
  readonly config: Pick<Config, "interfaces" | "devices" | "ppp">;
  readonly facts: Facts;
  readonly paths: readonly UplinkPath[];
  readonly observed: Pick<Observed, "uplinks">;
}

/** Whether a link may be told to carry packets of so many bytes because a lease says so. */
function isUsable(mtu: number | null | undefined): mtu is number {
  return typeof mtu === "number" && mtu >= LEAST_MTU && mtu <= MOST_MTU;
}

/** What a lease asks for, or what was there before one asked; undefined leaves it. */
function packetSize(
  leased: number | null | undefined,
  own: number | undefined,
): number | undefined {
  return isUsable(leased) ? leased : own;
}

/** Links that people have a say in, as far as they are there, then the VLANs on them. */
export function configuredLinks(sources: LinkSources): readonly DesiredLink[] {
  const { config, facts, paths, observed } = sources;
  const present = new Set(facts.links.map(({ name }) => name));
  const mtus = new Map(paths.map(({ link, mtu }) => [link, mtu]));
  const chosen = config.interfaces
    // Access points are hostapd's to bring up.
    .filter(({ Type, Name }) => Type !== "AP" && present.has(Name))
    .filter((one) => one.Type !== "Other" || one.State !== "" || chosenMac(one) !== "")
    .map((one): DesiredLink => {
      const mac = chosenMac(one);
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

/** Addresses beside those of uplinks: the additional ones, and the fixed ones of other links. */
export function furtherAddresses(
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
