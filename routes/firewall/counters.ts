import { z } from "zod";
import type { Host } from "../../system/core/kernel.ts";
import { Problem } from "../../system/core/problem.ts";
import type { Ruleset } from "../../system/core/ruleset.ts";
import {
  type Counted,
  type Counts,
  readCounts,
  RuleCounter,
  ruleCounters,
} from "../../system/firewall/counters.ts";
import { baseName } from "../../system/firewall/layered_sets.ts";
import { type Route, route } from "../http/route.ts";
import { FIREWALL, type FirewallDeps } from "./deps.ts";

/** Elements of a set beyond which nobody is kept waiting for its counters. */
const MOST_ELEMENTS = 2000;

/** How often packets met each rule. */
export function firewallCounterRoutes({ engine }: FirewallDeps): Route[] {
  return [
    route({
      method: "GET",
      path: "/firewall/counters",
      tag: FIREWALL.tag,
      access: FIREWALL.access,
      summary:
        "How often packets met each rule since it is in the kernel; null where it cannot tell",
      response: z.array(RuleCounter),
      errors: [502],
    }, async () => [
      ...ruleCounters(engine.config.firewall, await countsOf(engine.host, engine.desired.ruleset)),
    ]),
  ];
}

/** Where the set is not in the kernel, as while the network is released, nobody counts. */
function nothingThere(error: unknown): [] {
  if (error instanceof Problem && error.status === 404) return [];
  throw error;
}

async function countsOf(host: Host, ruleset: Ruleset): Promise<Counts> {
  const counts = new Map<string, Map<string, Counted>>();
  for (const { family, name: table, sets } of ruleset.tables) {
    for (const set of sets) {
      const size = set.elements.size;
      if (!set.counter || size === 0 || size > MOST_ELEMENTS) continue;
      const map = set.value !== undefined;
      const asked = { kind: "set", family, table, name: set.name, map } as const;
      const entries = await host.inspect(asked).catch(nothingThere);
      const base = baseName(set.name);
      counts.set(base, new Map([...counts.get(base) ?? [], ...readCounts(entries)]));
    }
  }
  return counts;
}
