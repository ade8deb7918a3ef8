import * as z from "zod";
import { RuleCounter } from "../../system/firewall/counters/counters.ts";
import { type Route, route } from "../http/route.ts";
import { FIREWALL, type FirewallDeps } from "./deps.ts";

const Moment = z.int().nullable();
const UsedRule = RuleCounter.extend({ since: Moment, lastUsed: Moment }).meta({
  id: "RuleCounter",
});

/** How often packets met each rule, and when. */
export function firewallCounterRoutes({ uses }: FirewallDeps): Route[] {
  return [
    route({
      method: "GET",
      path: "/firewall/counters",
      compresses: true,
      tag: FIREWALL.tag,
      access: FIREWALL.access,
      summary: "Packet counters of firewall rules",
      description:
        "Counts packets and bytes of each rule since it was loaded into the kernel. `since` is when " +
        "counting began, `lastUsed` the last time that the counter was seen to grow; both are unix " +
        "milliseconds, and null where the kernel has no counter.",
      response: z.array(UsedRule),
      errors: [502],
    }, async ({ c }) => [...await uses.sample(c.req.raw.signal)]),
  ];
}
