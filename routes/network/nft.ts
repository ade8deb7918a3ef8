import { z } from "zod";
import type { Config } from "../../system/config.ts";
import type { Engine } from "../../system/core/engine/engine.ts";
import { TableFamily, TableName } from "../../system/core/kernel/inspection.ts";
import { mapListing, tableListing } from "../../system/network/kernel/inspect.ts";
import { type Route, route } from "../http/route.ts";

/** What the listings of the packet filter need from outside. */
export interface NftDeps {
  readonly engine: Pick<Engine<Config>, "desired" | "host">;
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
      summary: "One verdict map of Sluice with its elements",
      params: z.object({ name: TableName }),
      errors: [404, 413, 502],
    }, ({ params }) => mapListing(engine.host, engine.desired.ruleset, params.name)),
    route({
      method: "GET",
      path: "/nftables",
      ...common,
      summary: "All nft tables in the kernel",
      errors: [502],
    }, async () => ({
      nftables: (await engine.host.facts()).tables.map(({ family, name }) => ({
        table: { family, name },
      })),
    })),
    route({
      method: "GET",
      path: "/nftable/{family}/{name}",
      ...common,
      summary: "One table with its rules and counters; large sets by element count",
      params: z.object({ family: TableFamily, name: TableName }),
      errors: [404, 502],
    }, ({ params }) => tableListing(engine.host, engine.desired.ruleset, params)),
  ];
}
