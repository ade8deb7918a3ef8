import { z } from "zod";
import { domainName } from "../../system/dns/block/names.ts";
import { BlockConfig, PlainIp } from "../../system/dns/block/schema.ts";
import type { Blocking } from "../../system/dns/block/verdict/dns_filter.ts";
import { BlockMetrics, Explanation, ListStatus } from "../../system/dns/block/api_schema.ts";
import { invalid } from "../../system/core/errors/problem.ts";
import { type Route, route } from "../http/route.ts";

/** What the socket of blocking needs from outside. */
export interface DnsBlockDeps {
  readonly blocking: Pick<
    Blocking,
    "config" | "metrics" | "status" | "explain" | "names" | "lists"
  >;
}

/** The query whose verdict is explained. */
const ExplainQuery = z.object({
  name: z.string().transform((text) => {
    const name = domainName(text.trim());
    if (name === null) throw invalid("/name", "Write a domain name, such as ads.example.com");
    return name;
  }),
  client: PlainIp,
});

/** The resolver's own socket for block lists: what it alone knows, and to look at lists now. */
export function dnsBlockSocketRoutes({ blocking }: DnsBlockDeps): Route[] {
  const common = { tag: "DNS blocking", access: "auth" } as const;
  const { BlockLists, ClientIPExclusions } = BlockConfig.shape;
  return [
    route({
      ...common,
      method: "GET",
      path: "/config",
      summary: "Block lists, custom rules, exclusions and settings of blocking",
      response: BlockConfig,
    }, () => blocking.config),
    ...["/blocklists", "/blocklist"].map((path) =>
      route(
        { ...common, method: "GET", path, summary: "Block lists", response: BlockLists },
        () => blocking.config.BlockLists,
      )
    ),
    route({
      ...common,
      method: "GET",
      path: "/exclusions",
      summary: "Devices that are excluded from blocking",
      response: ClientIPExclusions,
    }, () => blocking.config.ClientIPExclusions),
    route({
      ...common,
      method: "GET",
      path: "/metrics",
      summary: "Queries and blocked ones since the resolver started, and names in all lists",
      response: BlockMetrics,
    }, () => blocking.metrics()),
    route({
      ...common,
      method: "GET",
      path: "/lists",
      summary: "Status of each block list",
      response: z.object({ items: z.array(ListStatus) }),
    }, () => ({ items: blocking.status() })),
    route({
      ...common,
      method: "GET",
      path: "/explain",
      summary: "Why a name is answered to a client as it is",
      query: ExplainQuery,
      response: Explanation,
    }, ({ query: { name, client } }) => blocking.explain(name, client)),
    route({
      ...common,
      method: "GET",
      path: "/dump_domains",
      summary: "Every blocked name, with its final dot",
      response: z.array(z.string()),
    }, () => namesAnswer(blocking.names())),
    route({
      ...common,
      method: "PUT",
      path: "/refresh",
      summary: "Update all block lists now, or the one with the URI",
      query: z.object({ uri: z.string().optional() }),
    }, ({ query: { uri } }) => {
      blocking.lists.refresh(uri);
    }),
  ];
}

/** A JSON array of names with their final dot, made while it is sent: there may be millions. */
function namesAnswer(names: AsyncGenerator<readonly string[]>): Response {
  const encoder = new TextEncoder();
  let first = true;
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      for (;;) {
        const { done, value } = await names.next();
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
      await names.return(undefined);
    },
  });
  return new Response(body, { headers: { "content-type": "application/json" } });
}
