import type { Config } from "../../config.ts";
import type { Ruleset } from "../../core/kernel/ruleset.ts";

/** An element of a map as `nft -j` prints it: its key, and its verdict or data. */
export type MapElement = readonly [key: unknown, value: unknown];

/** What a map is read from. */
export interface ClientMapSources {
  readonly ruleset: Ruleset;
  readonly config: Pick<Config, "devices" | "wireguard">;
  /** Elements of one of our maps of `inet filter` in the kernel. */
  readonly elements: (name: string) => Promise<readonly MapElement[]>;
}

/** A map that existing clients list and that our ruleset holds in another form. */
export interface ClientMap {
  readonly type: string | readonly string[];
  readonly map: string;
  readonly elements: (sources: ClientMapSources) => Promise<readonly MapElement[]>;
}

const ACCEPT = { accept: null };

/**
 * The maps by the names that existing clients know. Each is read from the state that decides instead
 * of it; a name that is not here and not of our ruleset stands for a decision that Sluice never makes.
 */
export const CLIENT_MAPS: ReadonlyMap<string, ClientMap> = new Map<string, ClientMap>([
  ["dhcp_access", {
    type: ["ifname", "ether_addr"],
    map: "verdict",
    elements: dhcpAccess,
  }],
  ...["lan_udp_accept", "wan_udp_accept"].map((name): [string, ClientMap] => [name, {
    type: "inet_service",
    map: "verdict",
    elements: ({ elements }) => elements("vpn_udp_accept"),
  }]),
  ["site_forward", {
    type: ["ipv4_addr", "ipv4_addr", "ifname"],
    map: "verdict",
    elements: siteForward,
  }],
  ["custom_dns_devices", {
    type: "ipv4_addr",
    map: "ipv4_addr",
    elements: customResolvers,
  }],
]);

/** The MAC addresses that have an address on an interface, where the router answers their DHCP. */
async function dhcpAccess({ elements }: ClientMapSources): Promise<readonly MapElement[]> {
  const bound = await elements("ethernet_filter");
  return bound.map(([key]) => {
    const [, link, mac] = partsOf(key);
    return [{ concat: [link, mac] }, ACCEPT];
  });
}

/** Sources and networks of sites that share a group, by the interface of the tunnel. */
async function siteForward(sources: ClientMapSources): Promise<readonly MapElement[]> {
  const sites = new Set<unknown>(
    sources.config.wireguard.Sites.map(({ Interface }) => Interface),
  );
  const pairs: MapElement[] = [];
  for (const group of groupsOf(sources.ruleset)) {
    const networks = async (kind: "src" | "dst"): Promise<readonly LinkNetwork[]> => [
      ...(await sources.elements(`${group}_${kind}_nets`)).map(([key]): LinkNetwork => {
        const [link, net] = partsOf(key);
        return { link, net };
      }),
      ...(await sources.elements(`${group}_${kind}_access`)).map(([key]): LinkNetwork => {
        const [net, link] = partsOf(key);
        return { link, net };
      }),
    ];
    const targets = (await networks("dst")).filter(({ link }) => sites.has(link));
    if (targets.length === 0) continue;
    const starts = await networks("src");
    for (const target of targets) {
      for (const start of starts) {
        if (start.link === target.link) continue;
        pairs.push([{ concat: [start.net, target.net, target.link] }, ACCEPT]);
      }
    }
  }
  const distinct = new Map(pairs.map((pair) => [JSON.stringify(pair), pair]));
  return [...distinct.values()];
}

interface LinkNetwork {
  readonly link: unknown;
  readonly net: unknown;
}

/** The parts of the set names that stand for groups with whole networks. */
function groupsOf(ruleset: Ruleset): readonly string[] {
  const names = ruleset.tables.flatMap(({ sets }) => sets.map(({ name }) => name));
  return names.filter((name) => name.endsWith("_dst_nets"))
    .map((name) => name.slice(0, -"_dst_nets".length));
}

/** Devices whose queries go to a resolver of their own. */
function customResolvers({ config }: ClientMapSources): Promise<readonly MapElement[]> {
  const devices = Object.values(config.devices);
  return Promise.resolve(
    devices.filter(({ DNSCustom, RecentIP, DeviceDisabled }) =>
      DNSCustom !== "" && RecentIP !== "" && !DeviceDisabled
    ).map(({ RecentIP, DNSCustom }): MapElement => [RecentIP, DNSCustom]),
  );
}

function partsOf(key: unknown): readonly unknown[] {
  const { concat } = key as { readonly concat?: unknown };
  return Array.isArray(concat) ? concat : [key];
}
