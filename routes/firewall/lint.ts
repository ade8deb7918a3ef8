import { z } from "zod";
import { lintFirewall } from "../../system/firewall/lint/lint.ts";
import { LintFinding } from "../../system/firewall/lint/schema.ts";
import { type Route, route } from "../http/route.ts";
import { FIREWALL, type FirewallDeps } from "./deps.ts";

/** What of the firewall's rules is hardly meant. */
export function firewallLintRoutes({ engine }: FirewallDeps): Route[] {
  return [
    route({
      method: "GET",
      path: "/firewall/lint",
      tag: FIREWALL.tag,
      access: FIREWALL.access,
      summary: "Rules that do nothing, repeat or contradict others, or are about what is not there",
      query: z.object({ limit: z.coerce.number().int().min(1).max(1000).default(200) }),
      response: z.object({
        items: z.array(LintFinding),
        /** Findings beyond those listed. */
        more: z.number(),
      }),
    }, ({ query }) => {
      const links = engine.desired.facts?.links;
      const found = lintFirewall({
        config: engine.config,
        links: links ? new Set(links.keys()) : null,
      });
      const { limit } = query;
      return { items: found.slice(0, limit), more: Math.max(0, found.length - limit) };
    }),
  ];
}
