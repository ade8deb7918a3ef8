import { Hono } from "hono";
import { z } from "zod";
import { PlainIp } from "../../system/dns/block/schema.ts";
import type { Blocking } from "../../system/dns/block/verdict/dns_filter.ts";
import { domainName } from "../../system/dns/block/names.ts";
import { invalid, notFound } from "../../system/core/errors/problem.ts";
import { empty, errorAnswer, json, problemAnswer } from "../http/answer.ts";
import { validate } from "../http/body.ts";

/** What the socket of blocking needs from outside. */
export interface DnsBlockDeps {
  readonly blocking: Pick<
    Blocking,
    "config" | "metrics" | "status" | "explain" | "names" | "lists"
  >;
  readonly log: (error: unknown) => void;
}

/** What is asked for an explanation. */
const Asked = z.object({
  name: z.string().transform((text) => {
    const name = domainName(text.trim());
    if (name === null) throw invalid("/name", "Write a domain name, such as ads.example.com");
    return name;
  }),
  client: PlainIp,
});

/** The resolver's own socket for block lists: what it alone knows, and to look at lists now. */
export function dnsBlockApp({ blocking, log }: DnsBlockDeps): Hono {
  const app = new Hono();
  app.get("/config", () => json(blocking.config));
  app.get("/blocklists", () => json(blocking.config.BlockLists));
  app.get("/blocklist", () => json(blocking.config.BlockLists));
  app.get("/exclusions", () => json(blocking.config.ClientIPExclusions));
  app.get("/metrics", () => json(blocking.metrics()));
  app.get("/lists", () => json({ items: blocking.status() }));
  app.get("/explain", (c) => {
    const { name, client } = validate(Asked, c.req.query());
    return json(blocking.explain(name, client));
  });
  app.get("/dump_domains", () => namesAnswer(blocking.names()));
  app.put("/refresh", (c) => {
    blocking.lists.refresh(c.req.query("uri"));
    return empty();
  });
  app.onError((error) => errorAnswer(error, log));
  app.notFound(() => problemAnswer(notFound("There is nothing at this path of this socket")));
  return app;
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
