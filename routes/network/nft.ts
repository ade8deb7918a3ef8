import * as z from "zod";
import type { Config } from "../../system/config.ts";
import type { Engine } from "../../system/core/engine/engine.ts";
import { TableFamily, TableName } from "../../system/core/kernel/inspection.ts";
import { mapListing, tableListing } from "../../system/network/kernel/inspect.ts";
import { type Route, route } from "../http/route.ts";

/** What the listings of the packet filter need from outside. */
export interface NftDeps {
  readonly engine: Pick<Engine<Config>, "config" | "desired" | "host">;
}

const Listing = z.object({ nftables: z.array(z.record(z.string(), z.unknown())) });

/** The nft tables in the kernel, in the format of `nft -j`. */
export function nftRoutes({ engine }: NftDeps): Route[] {
  const common = { tag: "Packet filter", access: "auth", response: Listing } as const;
  return [
    route({
      method: "GET",
      path: "/nfmap/{name}",
      ...common,
      summary: "Elements of a verdict map",
      description:
        "Returns the map of Sluice with this name as `nft -j list map` prints it, its elements without " +
        "counters; 413 if it has too many. `dhcp_access`, `lan_udp_accept`, `wan_udp_accept`, " +
        "`site_forward` and `custom_dns_devices`, which existing clients list, are made of the maps " +
        "that decide instead. Maps change only with the configuration.",
      examples: {
        parameters: { name: "internet_access" },
        response: {
          nftables: [{
            map: {
              family: "inet",
              table: "filter",
              name: "internet_access",
              elem: [[{ concat: ["192.168.2.6", "lan0"] }, { accept: null }]],
            },
          }],
        },
      },
      params: z.object({ name: TableName }),
      errors: [404, 413, 502],
    }, ({ params }) => {
      const { host, desired: { ruleset }, config } = engine;
      return mapListing({ host, ruleset, config }, params.name);
    }),
    route({
      method: "GET",
      path: "/nftables",
      ...common,
      summary: "All nft tables in the kernel",
      description:
        "Lists the tables of all software by family and name, in the format of `nft -j list " +
        "tables`.",
      examples: { response: { nftables: [{ table: { family: "inet", name: "filter" } }] } },
      errors: [502],
    }, async () => ({ nftables: [...await engine.host.inspect({ kind: "tables" })] })),
    route({
      method: "GET",
      path: "/nftable/{family}/{name}",
      ...common,
      summary: "One nft table",
      description:
        "Returns the table with its chains, rules and counters, in the format of `nft -j list " +
        "table`. Of large sets only the number of elements is given.",
      examples: {
        parameters: { family: "inet", name: "filter" },
        response: { nftables: [{ chain: { family: "inet", table: "filter", name: "FORWARD" } }] },
      },
      params: z.object({ family: TableFamily, name: TableName }),
      errors: [404, 502],
    }, ({ params }) => tableListing(engine.host, engine.desired.ruleset, params)),
  ];
}
