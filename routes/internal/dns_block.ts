import { z } from "zod";
import { domainName } from "../../system/dns/block/names.ts";
import { BlockConfig, PlainIp } from "../../system/dns/block/schema.ts";
import type { DnsFilter } from "../../system/dns/block/verdict/dns_filter.ts";
import { BlockMetrics, Explanation, ListStatus } from "../../system/dns/block/api_schema.ts";
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
      response: BlockConfig,
    }, () => filter.config),
    ...["/blocklists", "/blocklist"].map((path) =>
      route(
        { ...common, method: "GET", path, summary: "Block lists", response: BlockLists },
        () => filter.config.BlockLists,
      )
    ),
    route({
      ...common,
      method: "GET",
      path: "/exclusions",
      summary: "Devices that are excluded from blocking",
      response: ClientIPExclusions,
    }, () => filter.config.ClientIPExclusions),
    route({
      ...common,
      method: "GET",
      path: "/metrics",
      summary:
        "Queries, blocked queries since the resolver started, and domains in the active lists",
      response: BlockMetrics,
    }, () => filter.metrics()),
    route({
      ...common,
      method: "GET",
      path: "/lists",
      summary: "Status of each block list",
      response: z.object({ items: z.array(ListStatus) }),
    }, () => ({ items: filter.status() })),
    route({
      ...common,
      method: "GET",
      path: "/explain",
      summary: "Why a name is answered to a client as it is",
      query: ExplainQuery,
      response: Explanation,
    }, ({ query: { name, client } }) => filter.explain(name, client)),
    route({
      ...common,
      method: "GET",
      path: "/dump_domains",
      summary: "Every blocked name, with its final dot",
      response: z.array(z.string()),
    }, () => domainsResponse(filter.blockedDomains())),
    route({
      ...common,
      method: "PUT",
      path: "/refresh",
      summary: "Update all block lists now, or the one with the URI",
      query: z.object({ uri: z.string().optional() }),
    }, ({ query: { uri } }) => {
      filter.lists.refresh(uri);
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
