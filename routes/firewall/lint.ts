import * as z from "zod";
import { SharedWork } from "../../system/core/time/slices.ts";
import { lintSteps } from "../../system/firewall/lint/lint.ts";
import { LintFinding } from "../../system/firewall/lint/schema.ts";
import { type Route, route } from "../http/route.ts";
import { FIREWALL, type FirewallDeps } from "./deps.ts";

/** Possible problems of firewall rules. */
export function firewallLintRoutes({ engine }: FirewallDeps): Route[] {
  const shared = new SharedWork<readonly LintFinding[]>();
  return [
    route({
      method: "GET",
      path: "/firewall/lint",
      tag: FIREWALL.tag,
      access: FIREWALL.access,
      summary: "Possible problems of firewall rules",
      description:
        "Finds rules that have no effect, repeat or contradict others, or refer to devices and " +
        "interfaces that do not exist. `fix`, where there is one, is a request that solves the " +
        "problem.",
      query: z.object({ limit: z.coerce.number().int().min(1).max(1000).default(200) }),
      response: z.object({
        items: z.array(LintFinding),
        /** Findings beyond those listed. */
        more: z.number(),
      }),
    }, async ({ query, c }) => {
      const { config, desired } = engine;
      const links = desired.facts?.links;
      const found = await shared.run(config, "lint", {
        signal: c.req.raw.signal,
        steps: () => lintSteps({ config, links: links ? new Set(links.keys()) : null }),
      });
      const { limit } = query;
      return { items: found.slice(0, limit), more: Math.max(0, found.length - limit) };
    }),
  ];
}
