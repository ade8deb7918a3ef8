import * as z from "zod";
import type { Config } from "../system/config.ts";
import type { ChangeEngine } from "../system/core/engine/change.ts";
import { Problem, sentence } from "../system/core/errors/problem.ts";
import { invalidSource } from "../system/dns/block/lists/source.ts";
import { classifications } from "../system/lookup/classifications.ts";
import type { DiscoveredSenders } from "../system/multicast/discovered_senders.ts";
import type { LookupClient } from "../system/lookup/client.ts";
import {
  AsnFound,
  AsnResult,
  Classification,
  Dataset,
  DatasetStatus,
  MAX_LOOKUPS,
  OuiResult,
} from "../system/lookup/schema.ts";
import { type Route, route } from "./http/route.ts";
import { type ServiceClient, succeeded } from "./http/service_client.ts";

/** Dependencies of {@link lookupRoutes}. */
export interface LookupDeps {
  readonly engine: Pick<ChangeEngine<Config>, "config">;
  readonly discovered: Pick<DiscoveredSenders, "list">;
  readonly lookup: Pick<LookupClient, "forget" | "vendorMany">;
  readonly lookupTables: ServiceClient;
  /** The resolver, which downloads. */
  readonly resolver: ServiceClient;
}

/** Characters of a list: more than fit into the address line of a request. */
const MAX_LIST_LENGTH = 1 << 20;
const PATH = "/plugins/lookup";
/** Largest data file that is uploaded, as JSON, and largest that is downloaded. */
const MAX_UPLOAD_BYTES = 32 << 20;
const MAX_DOWNLOAD_BYTES = 64 << 20;
/** Milliseconds within which a table is compiled, and within which a file is downloaded. */
const COMPILE_TIMEOUT_MS = 300_000;
const DOWNLOAD_TIMEOUT_MS = 600_000;

/** A data file, uploaded or to be downloaded. */
const DataFile = z.object({
  /** The file itself: text as its source publishes it. */
  Text: z.string().min(1, { error: "The file is empty" }).max(MAX_UPLOAD_BYTES).optional(),
  /** Where it is downloaded from. */
  URI: z.string().max(2048).superRefine((uri, context) => {
    const problem = invalidSource(uri);
    const message = uri.startsWith("upload:") ? "Enter an https or http URL" : problem;
    if (message !== null) context.addIssue({ code: "custom", message });
  }).optional(),
}).refine(({ Text, URI }) => (Text === undefined) !== (URI === undefined), {
  error: "Send either the file as `Text` or its `URI`",
});

/** Networks, countries and vendors of addresses. No other server is queried for an address. */
export function lookupRoutes(deps: LookupDeps): Route[] {
  return [...addressRoutes(deps), classificationRoute(deps), ...tableRoutes(deps)];
}

function addressRoutes({ lookupTables }: LookupDeps): Route[] {
  const common = { tag: "Lookup", access: "auth", method: "GET", errors: [503] } as const;
  const list =
    `Separate at most ${MAX_LOOKUPS} addresses by commas; there is one entry for each, in ` +
    "their order.";
  const ask = (path: string, text: string): Promise<Response> =>
    lookupTables.call({ path: `${path}/${encodeURIComponent(text)}` });
  const askAll = (path: string, text: string): Promise<Response> =>
    lookupTables.call({ method: "PUT", path, body: { list: listed(text) } });
  return [
    route({
      ...common,
      path: `${PATH}/asn/{ip}`,
      summary: "Network of an address",
      description:
        "The network (ASN) and country of an IPv4 or IPv6 address, by tables on the router. Private " +
        "and unknown addresses have the number 0.",
      examples: {
        parameters: { ip: "192.0.2.1" },
        response: { IP: "192.0.2.1", ASN: 64496, Name: "Example Networks", Country: "US" },
      },
      params: z.object({ ip: z.string().max(64) }),
      response: AsnResult,
      errors: [404, 503],
    }, ({ params: { ip } }) => ask("/asn", ip)),
    route({
      ...common,
      path: `${PATH}/asns/{ips}`,
      summary: "Networks of several addresses",
      description: `${list} Of what is unknown or no address the number is 0.`,
      examples: {
        parameters: { ips: "192.0.2.1,192.168.2.6" },
        response: [
          { IP: "192.0.2.1", ASN: 64496, Name: "Example Networks", Country: "US" },
          { IP: "192.168.2.6", ASN: 0, Name: "", Country: "" },
        ],
      },
      params: z.object({ ips: z.string().max(MAX_LIST_LENGTH) }),
      response: z.array(AsnResult),
      errors: [413, 503],
    }, ({ params: { ips } }) => askAll("/asns", ips)),
    route({
      ...common,
      path: `${PATH}/oui/{mac}`,
      summary: "Vendor of a MAC address",
      description:
        "To whom IEEE assigned the address; 404 where no vendor is known, as for a randomized address.",
      params: z.object({ mac: z.string().max(64) }),
      response: OuiResult,
      errors: [404, 503],
    }, ({ params: { mac } }) => ask("/oui", mac)),
    route({
      ...common,
      path: `${PATH}/ouis/{macs}`,
      summary: "Vendors of several MAC addresses",
      description: `${list} The vendor of what is unknown, randomized or no address is empty.`,
      examples: { parameters: { macs: "02:00:00:00:0a:01,02:00:00:00:0a:02" } },
      params: z.object({ macs: z.string().max(MAX_LIST_LENGTH) }),
      response: z.array(OuiResult),
      errors: [413, 503],
    }, ({ params: { macs } }) => askAll("/ouis", macs)),
    route({
      ...common,
      path: `${PATH}/asn_search/{query}`,
      summary: "Find networks",
      description:
        "At most 25 networks whose name has the text, those with most ranges first; or the one of a " +
        "number such as `64496` or `AS64496`.",
      examples: {
        parameters: { query: "hosting" },
        response: [{ ASN: 64496, Name: "Example Hosting", Country: "US", RangeCount: 12 }],
      },
      params: z.object({
        query: z.string().min(2, { error: "Enter at least two characters" }).max(64),
      }),
      response: z.array(AsnFound),
    }, ({ params: { query } }) => ask("/asn_search", query)),
  ];
}

function classificationRoute(deps: LookupDeps): Route {
  return route({
    tag: "Lookup",
    access: "auth",
    method: "GET",
    path: `${PATH}/classifications`,
    compresses: true,
    summary: "Vendors and types of the devices",
    description:
      "For each device with a MAC address its vendor, and the type that vendor, name and announced " +
      "services suggest, sorted by MAC address. Texts come from the network: treat them as untrusted.",
    response: z.array(Classification),
  }, () => classifications(deps));
}

function tableRoutes({ lookup, lookupTables, resolver }: LookupDeps): Route[] {
  const common = { tag: "Lookup", access: "auth", errors: [400, 502, 503] } as const;
  const path = `${PATH}/tables/{dataset}`;
  const params = z.object({ dataset: Dataset });
  return [
    route({
      ...common,
      method: "GET",
      path: `${PATH}/tables`,
      summary: "Tables of the lookup service",
      description:
        "Source, license, date and number of rows of each table, and to whom the data is owed.",
      response: z.object({ items: z.array(DatasetStatus) }),
    }, () => lookupTables.call({ path: "/status" })),
    route({
      ...common,
      method: "PUT",
      path,
      summary: "Replace a table",
      description:
        "Replaces the table by a data file: ranges by network (`asn`) or country (`country`) as CSV " +
        "or tab-separated text in ascending order, or vendors by prefix (`oui`) as JSON. A family of " +
        "addresses that the file does not have stays as it is. What is no such data, cut off, or " +
        "much smaller than the table is refused, and the table stays.",
      examples: {
        parameters: { dataset: "country" },
        body: { URI: "https://data.example.com/country.csv" },
      },
      params,
      body: DataFile,
      maxBody: MAX_UPLOAD_BYTES,
    }, async ({ params: { dataset }, body: { Text, URI } }) => {
      const content = Text ?? await downloaded(resolver, URI!);
      const source = encodeURIComponent(URI ?? "uploaded file");
      await succeeded(
        await lookupTables.call({
          method: "PUT",
          path: `/data/${dataset}?source=${source}`,
          content,
          timeoutMs: COMPILE_TIMEOUT_MS,
        }),
      );
      lookup.forget();
    }),
    route({
      ...common,
      method: "DELETE",
      path,
      summary: "Go back to the data that came with Sluice",
      description: "Compiles the table anew from the package that came with the program.",
      params,
    }, async ({ params: { dataset } }) => {
      const timeoutMs = COMPILE_TIMEOUT_MS;
      await succeeded(
        await lookupTables.call({ method: "DELETE", path: `/data/${dataset}`, timeoutMs }),
      );
      lookup.forget();
    }),
  ];
}

/** The items of a list; more than {@link MAX_LOOKUPS} are refused. */
function listed(text: string): readonly string[] {
  const items = text.split(",").map((item) => item.trim());
  if (items.length <= MAX_LOOKUPS) return items;
  throw new Problem(
    413,
    sentence("Send at most {limit} addresses at a time", { limit: MAX_LOOKUPS }),
  );
}

/** The content of a file, downloaded by the resolver. */
async function downloaded(
  resolver: ServiceClient,
  uri: string,
): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  const response = await succeeded(
    await resolver.call({
      method: "PUT",
      path: "/download",
      body: { uri, maxBytes: MAX_DOWNLOAD_BYTES },
      timeoutMs: DOWNLOAD_TIMEOUT_MS,
    }),
  );
  if (response.body === null) throw new Problem(502, "The file is empty");
  return response.body;
}
