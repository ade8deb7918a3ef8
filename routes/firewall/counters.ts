import { z } from "zod";
import { RuleCounter } from "../../system/firewall/counters/counters.ts";
import { type Route, route } from "../http/route.ts";
import { FIREWALL, type FirewallDeps } from "./deps.ts";

const Moment = z.int().nullable();

/** How often packets met each rule, and when. */
export function firewallCounterRoutes({ uses }: FirewallDeps): Route[] {
  return [
    route({
      method: "GET",
      path: "/firewall/counters",
      tag: FIREWALL.tag,
      access: FIREWALL.access,
      summary:
        "How often packets met each rule since it is in the kernel, since when that is looked at, and when it was last found used (unix milliseconds); null where nobody can tell",
      response: z.array(RuleCounter.extend({ since: Moment, lastUsed: Moment })),
      errors: [502],
    }, async () => [...await uses.sample()]),
  ];
}
