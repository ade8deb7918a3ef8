import * as z from "zod";
import { domainName } from "../../system/dns/block/names.ts";
import { BlockConfig, PlainIp } from "../../system/dns/block/schema.ts";
import type { DnsFilter } from "../../system/dns/block/verdict/dns_filter.ts";
import {
  BlockMetrics,
  Explanation,
  ListStatus,
  ListTrial,
  ListTrialResult,
} from "../../system/dns/block/api_schema.ts";
import { ListError } from "../../system/dns/block/lists/list_error.ts";
import { invalid } from "../../system/core/errors/problem.ts";
import { type Route, route } from "../http/route.ts";

/** Dependencies of {@link dnsBlockSocketRoutes}. */
export interface DnsBlockDeps {
  readonly filter: Pick<
    DnsFilter,
    "config" | "metrics" | "status" | "explain" | "blockedDomains" | "lists"
  >;
}

/** The query whose verdict is explained. */
const ExplainQuery = z.object({
  name: z.string().transform((text) => {
    const name = domainName(text.trim());
    if (name === null) throw invalid("/name", "Enter a domain name such as ads.example.com");
    return name;
  }),
  client: PlainIp,
});

/** The resolver's socket for block lists: its state, explanations and list updates. */
export function dnsBlockSocketRoutes({ filter }: DnsBlockDeps): Route[] {
  const common = { tag: "DNS blocking", access: "auth" } as const;
  const { BlockLists, ClientIPExclusions } = BlockConfig.shape;
  return [
    route({
      ...common,
      method: "GET",
      path: "/config",
      summary: "Block lists, custom rules, exclusions and settings of blocking",
      description: "The configuration of blocking as dnsd has it now.",
      response: BlockConfig,
    }, () => filter.config),
    ...["/blocklists", "/blocklist"].map((path) =>
      route(
        {
          ...common,
          method: "GET",
          path,
          summary: "Block lists",
          description: "The block lists as dnsd has them now.",
          response: BlockLists,
        },
        () => filter.config.BlockLists,
      )
    ),
    route({
      ...common,
      method: "GET",
      path: "/exclusions",
      summary: "Devices that are excluded from blocking",
      description: "The excluded client addresses as dnsd has them now.",
      response: ClientIPExclusions,
    }, () => filter.config.ClientIPExclusions),
    route({
      ...common,
      method: "GET",
      path: "/metrics",
      summary: "DNS blocking counters",
      description:
        "Queries and blocked queries since the resolver started, and the number of domains in the " +
        "active lists.",
      response: BlockMetrics,
    }, () => filter.metrics()),
    route({
      ...common,
      method: "GET",
      path: "/lists",
      summary: "Status of each block list",
      description: "Number of domains, last update and error of each list that dnsd knows.",
      response: z.object({ items: z.array(ListStatus) }),
    }, () => ({ items: filter.status() })),
    route({
      ...common,
      method: "GET",
      path: "/explain",
      summary: "Explain the answer to a query",
      description:
        "Evaluates a query of `client` for `name` without sending it, and returns the verdict with " +
        "every block list and override that matches.",
      examples: { parameters: { name: "ads.example.com", client: "192.168.2.6" } },
      query: ExplainQuery,
      response: Explanation,
    }, ({ query: { name, client } }) => filter.explain(name, client)),
    route({
      ...common,
      method: "GET",
      path: "/dump_domains",
      summary: "All blocked domains",
      description:
        "Streams the domains of all active lists as one JSON array, each with its final dot.",
      examples: { response: ["ads.example.", "tracker.example."] },
      response: z.array(z.string()),
    }, () => domainsResponse(filter.blockedDomains())),
    route({
      ...common,
      method: "PUT",
      path: "/refresh",
      summary: "Update block lists now",
      description:
        "Starts an update of all lists, or of the one with this `uri`, and answers at once.",
      query: z.object({ uri: z.string().optional() }),
    }, ({ query: { uri } }) => {
      filter.lists.refresh(uri);
    }),
    route({
      ...common,
      method: "PUT",
      path: "/try",
      summary: "Try a block list",
      description: "Downloads the list and keeps nothing of it; 400 where that fails.",
      body: ListTrial,
      response: ListTrialResult,
    }, async ({ body: { URI } }) => {
      try {
        return await filter.lists.tryFetch(URI);
      } catch (error) {
        throw error instanceof ListError ? invalid("/URI", error.message) : error;
      }
    }),
  ];
}

/** A streamed JSON array of domains with their final dot: there may be millions. */
function domainsResponse(domains: AsyncGenerator<readonly string[]>): Response {
  const encoder = new TextEncoder();
  let first = true;
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      for (;;) {
        const { done, value } = await domains.next();
        if (done) {
          controller.enqueue(encoder.encode(first ? "[]\n" : "]\n"));
          controller.close();
          return;
        }
        if (value.length === 0) continue;
        const text = value.map((name) => `"${name}."`).join(",");
        controller.enqueue(encoder.encode(`${first ? "[" : ","}${text}`));
        first = false;
        return;
      }
    },
    async cancel() {
      await domains.return(undefined);
    },
  });
  return new Response(body, { headers: { "content-type": "application/json" } });
}
