import type { Config } from "../../config.ts";
import { formatIpv4, overlaps4, parseRange4 } from "../../core/net/net.ts";
import { fixedAddresses } from "../../network/interfaces/schema.ts";
import type { Wireguard } from "../schema.ts";

/** A network that is in use, and by what. */
export interface UsedNetwork {
  readonly network: string;
  /** Completes "which is …". */
  readonly use: string;
}

/** A network in its canonical form: `192.168.7.0/24` for `192.168.7.1/24`. */
export function networkOf(text: string): string {
  const range = parseRange4(text);
  return range === null ? text : `${formatIpv4(range.first)}/${range.prefix}`;
}

/** The networks behind sites, and those in their tunnels; without those of one site. */
export function siteNetworks({ Sites }: Wireguard, but = ""): readonly UsedNetwork[] {
  return Sites.filter(({ Name }) => Name !== but).flatMap(({ Name, Networks, Address }) =>
    [...Networks, ...(Address === "" ? [] : [networkOf(Address)])]
      .map((network) => ({ network, use: `behind the site ${Name}` }))
  );
}

/**
 * The networks that a site's must not overlap: LAN subnets, static networks of interfaces, those of
 * other sites, and `others`, addresses that the router has elsewhere.
 */
export function usedNetworks(
  { dhcp, interfaces, wireguard }: Pick<Config, "dhcp" | "interfaces" | "wireguard">,
  { site, others }: { readonly site: string; readonly others: readonly string[] },
): readonly UsedNetwork[] {
  return [
    ...dhcp.TinyNets.map((network) => ({ network, use: "a LAN subnet of this router" })),
    ...interfaces.flatMap((link) => {
      const isUplink = link.Type === "Uplink";
      // The address of an uplink with DHCP is perhaps its last lease.
      const leased = isUplink && link.IP.includes("/") ? [link.IP] : [];
      const use = `the network of ${isUplink ? "the uplink " : ""}${link.Name}`;
      return [...leased, ...fixedAddresses(link)].map((text) => ({
        network: networkOf(text),
        use,
      }));
    }),
    ...siteNetworks(wireguard, site),
    ...others.map((text) => ({ network: networkOf(text), use: "a network of this router" })),
  ];
}

/** The first of these that shares an address with the network. */
export function overlapWith(
  network: string,
  used: readonly UsedNetwork[],
): UsedNetwork | undefined {
  const range = parseRange4(network);
  return used.find((one) => {
    const other = parseRange4(one.network);
    return range !== null && other !== null && overlaps4(range, other);
  });
}
