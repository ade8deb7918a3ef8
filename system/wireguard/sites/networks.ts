import type { Config } from "../../config.ts";
import { formatIpv4, overlaps4, parseRange4 } from "../../core/net/net.ts";

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

/**
 * The networks that a site's must not overlap: LAN subnets, static networks of uplinks, those of other
 * sites, and `others`, addresses that the router has elsewhere.
 */
export function usedNetworks(
  config: Pick<Config, "dhcp" | "interfaces" | "wireguard">,
  { site, others }: { readonly site: string; readonly others: readonly string[] },
): readonly UsedNetwork[] {
  const { dhcp, interfaces, wireguard } = config;
  return [
    ...dhcp.TinyNets.map((network) => ({ network, use: "a LAN subnet of this router" })),
    ...interfaces.filter(({ Type, IP }) => Type === "Uplink" && IP.includes("/"))
      .map(({ IP, Name }) => ({
        network: networkOf(IP),
        use: `the network of the uplink ${Name}`,
      })),
    ...wireguard.Sites.filter(({ Name }) => Name !== site).flatMap(({ Name, Networks, Address }) =>
      [...Networks, ...(Address === "" ? [] : [networkOf(Address)])]
        .map((network) => ({ network, use: `behind the site ${Name}` }))
    ),
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
