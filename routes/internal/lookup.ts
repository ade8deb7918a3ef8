import * as z from "zod";
import { AddressInfos, Vendors } from "../../system/lookup/client.ts";
import type { Datasets } from "../../system/lookup/datasets.ts";
import { lookUpAddress, lookUpMac, searchNetworks } from "../../system/lookup/lookup_rules.ts";
import {
  AsnFound,
  AsnResult,
  Dataset,
  DatasetStatus,
  MAX_LOOKUPS,
  OuiResult,
} from "../../system/lookup/schema.ts";
import { encodeRanges } from "../../system/core/kernel/blocked_ranges.ts";
import { blockedRanges } from "../../system/lookup/blocked/blocked_ranges.ts";
import { type BlockedListStore, LIST_ID } from "../../system/lookup/blocked/list_store.ts";
import { DataError } from "../../system/lookup/tables/data_error.ts";
import { notFound, Problem } from "../../system/core/errors/problem.ts";
import { parseAddress } from "../../system/core/net/net.ts";
import { type Route, route } from "../http/route.ts";

/** Dependencies of {@link lookupSocketRoutes}. */
export interface LookupSocketDeps {
  readonly datasets: Pick<Datasets, "tables" | "tag" | "status" | "replace" | "reset">;
  readonly lists: BlockedListStore;
}

/** What is looked up together: addresses of the Internet, or MAC addresses. */
const List = z.object({ list: z.array(z.string().max(1024)).max(MAX_LOOKUPS) });

/** The socket of the lookup service. */
export function lookupSocketRoutes(deps: LookupSocketDeps): Route[] {
  return [...addressRoutes(deps), ...tableRoutes(deps), ...blockedRoutes(deps)];
}

function addressRoutes({ datasets }: LookupSocketDeps): Route[] {
  const common = { tag: "Lookup", access: "auth" } as const;
  return [
    route({
      ...common,
      method: "GET",
      path: "/asn/{ip}",
      summary: "Network of an address",
      description: "The network (ASN) and country of an address, by the tables of the router.",
      params: z.object({ ip: z.string().max(64) }),
      response: AsnResult,
      errors: [404],
    }, ({ params: { ip } }) => {
      if (parseAddress(ip.replace(/%[^%]*$/, "")) === null) {
        throw notFound("This is no IP address. Write one such as 192.0.2.1 or 2001:db8::1");
      }
      return lookUpAddress(datasets.tables, ip);
    }),
    route({
      ...common,
      method: "PUT",
      path: "/asns",
      summary: "Networks of several addresses",
      description: "One entry for each address, in their order.",
      body: List,
      response: z.array(AsnResult),
    }, ({ body: { list } }) => list.map((ip) => lookUpAddress(datasets.tables, ip))),
    route({
      ...common,
      method: "GET",
      path: "/oui/{mac}",
      summary: "Vendor of a MAC address",
      description: "To whom IEEE assigned the address.",
      params: z.object({ mac: z.string().max(64) }),
      response: OuiResult,
      errors: [404],
    }, ({ params: { mac } }) => {
      const result = lookUpMac(datasets.tables, mac);
      if (result.Vendor === "") throw notFound("No vendor is known for this MAC address");
      return result;
    }),
    route({
      ...common,
      method: "PUT",
      path: "/ouis",
      summary: "Vendors of several MAC addresses",
      description: "One entry for each address, in their order.",
      body: List,
      response: z.array(OuiResult),
    }, ({ body: { list } }) => list.map((mac) => lookUpMac(datasets.tables, mac))),
    route({
      ...common,
      method: "GET",
      path: "/asn_search/{query}",
      summary: "Find networks",
      description: "Networks whose name has the text, or the one of a number such as `AS64496`.",
      examples: { parameters: { query: "hosting" } },
      params: z.object({
        query: z.string().min(2, { error: "Enter at least two characters" }).max(64),
      }),
      response: z.array(AsnFound),
    }, ({ params: { query } }) => [...searchNetworks(datasets.tables, query)]),
    route({
      ...common,
      method: "PUT",
      path: "/addresses",
      summary: "Networks of many addresses",
      description: "One entry for each address, in their order, with a tag of the tables.",
      body: List,
      response: AddressInfos,
    }, ({ body: { list } }) => ({
      tag: datasets.tag,
      items: list.map((address) => {
        const { ASN, Name, Country } = lookUpAddress(datasets.tables, address);
        return { asn: ASN, name: Name, country: Country };
      }),
    })),
    route({
      ...common,
      method: "PUT",
      path: "/vendors",
      summary: "Vendors of many MAC addresses",
      description: "One entry for each address, in their order, with a tag of the tables.",
      body: List,
      response: Vendors,
    }, ({ body: { list } }) => ({
      tag: datasets.tag,
      items: list.map((mac) => lookUpMac(datasets.tables, mac).Vendor),
    })),
  ];
}

function tableRoutes({ datasets }: LookupSocketDeps): Route[] {
  const common = { tag: "Lookup", access: "auth" } as const;
  return [
    route({
      ...common,
      method: "GET",
      path: "/status",
      summary: "Tables of the lookup service",
      description: "Source, license, date and rows of each table.",
      response: z.object({ items: z.array(DatasetStatus) }),
    }, () => ({ items: [...datasets.status()] })),
    route({
      ...common,
      method: "PUT",
      path: "/data/{dataset}",
      summary: "Replace a table",
      description:
        "The body is the data file, whatever its type is named. A file that is no such data is " +
        "refused, and the table stays.",
      params: z.object({ dataset: Dataset }),
      query: z.object({ source: z.string().max(2048) }),
      errors: [400],
    }, async ({ params: { dataset }, query: { source }, c }) => {
      const { body } = c.req.raw;
      if (body === null) throw new Problem(400, "The file is empty");
      await datasets.replace(dataset, body, source);
    }),
    route({
      ...common,
      method: "DELETE",
      path: "/data/{dataset}",
      summary: "Go back to the data that came with Sluice",
      description: "Compiles the table anew from the package that came with the program.",
      params: z.object({ dataset: Dataset }),
    }, async ({ params: { dataset } }) => await datasets.reset(dataset)),
  ];
}

/** What is to be blocked. */
const BlockWish = z.object({
  countries: z.array(z.string().regex(/^[A-Z]{2}$/)).max(300),
  asns: z.array(z.int().min(1)).max(10_000),
  lists: z.array(z.string().regex(LIST_ID)).max(64),
});

function blockedRoutes({ datasets, lists }: LookupSocketDeps): Route[] {
  const common = { tag: "Lookup", access: "auth" } as const;
  return [
    route({
      ...common,
      method: "PUT",
      path: "/blocked/lists/{id}",
      summary: "Keep a list of what is to be blocked",
      description:
        "The body is the list: prefixes, addresses and networks, one a line. What is no such list is " +
        "refused, and the earlier copy stays.",
      params: z.object({ id: z.string().regex(LIST_ID) }),
      response: z.object({ prefixes: z.int(), asns: z.int() }),
      errors: [400],
    }, async ({ params: { id }, c }) => {
      const { body } = c.req.raw;
      if (body === null) throw new Problem(400, "The list is empty");
      try {
        const { prefixes, asns } = await lists.put(id, body);
        return { prefixes: prefixes.length, asns: asns.length };
      } catch (error) {
        if (error instanceof DataError) throw new Problem(400, error.message, { cause: error });
        throw error;
      }
    }),
    route({
      ...common,
      method: "PUT",
      path: "/blocked/ranges",
      summary: "Prefixes of countries, networks and lists",
      description:
        "The prefixes that are to be blocked, with who blocks each, in the form that netd takes. 503 " +
        "while the tables are not there yet.",
      examples: { body: { countries: ["NZ"], asns: [64496], lists: ["5f1c9a"] } },
      body: BlockWish,
      mediaType: "application/octet-stream",
      errors: [503],
    }, async ({ body: { countries, asns, lists: ids } }) => {
      const { tables } = datasets;
      const isMissing = countries.length > 0 && tables.countries === null ||
        asns.length + ids.length > 0 && tables.networks === null;
      if (isMissing) throw new Problem(503, "The tables of addresses are not ready yet");
      const wish = { countries, asns, lists: await lists.get(ids) };
      return new Response(encodeRanges(blockedRanges(tables, wish)), {
        headers: { "content-type": "application/octet-stream" },
      });
    }),
  ];
}
