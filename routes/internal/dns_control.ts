import * as z from "zod";
import { DnsStatus } from "../../system/dns/config/status_schema.ts";
import type { Dnsd } from "../../system/dns/service.ts";
import { type Route, route } from "../http/route.ts";

/** Largest file that is downloaded for other services. */
const MAX_DOWNLOAD_BYTES = 128 << 20;

/** The resolver's own socket for its state. */
export function dnsControlSocketRoutes(dnsd: Pick<Dnsd, "status" | "flush" | "download">): Route[] {
  const common = { tag: "Resolver", access: "auth" } as const;
  return [
    route({
      ...common,
      method: "GET",
      path: "/status",
      summary: "Status of the DNS resolver",
      description:
        "Listeners, upstream resolvers, the size of the cache and query counts since the start.",
      response: DnsStatus,
    }, () => dnsd.status()),
    route({
      ...common,
      method: "PUT",
      path: "/flush",
      summary: "Flush the cache",
      description:
        "Drops every cached answer, so that the next query of each name goes to an upstream " +
        "resolver.",
    }, () => dnsd.flush()),
    route(
      {
        ...common,
        method: "PUT",
        path: "/download",
        summary: "Download a file",
        description:
          "Downloads a text file as a block list is downloaded, and answers its content. Addresses of " +
          "the router and of private networks are refused.",
        body: z.object({
          uri: z.string().max(2048),
          maxBytes: z.int().min(1).max(MAX_DOWNLOAD_BYTES),
        }),
        mediaType: "application/octet-stream",
        errors: [400, 502],
      },
      async ({ body: { uri, maxBytes } }) =>
        new Response(await dnsd.download(uri, maxBytes), {
          headers: { "content-type": "application/octet-stream" },
        }),
    ),
  ];
}
