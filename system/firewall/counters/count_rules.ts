import type { Host } from "../../core/kernel/host.ts";
import { Problem } from "../../core/errors/problem.ts";
import type { Ruleset } from "../../core/kernel/ruleset.ts";
import {
  type Counted,
  type Counts,
  readCounts,
  type RuleCounter,
  ruleCounters,
} from "./counters.ts";
import { baseName } from "../sets/layered_sets.ts";
import type { Firewall } from "../schema.ts";

/** Elements of a set beyond which its counters are not read. */
const MAX_ELEMENTS = 2000;

/** Reads each rule's counters from the kernel. Throws 502 where that fails. */
export async function countRules(
  { firewall, ruleset, host }: {
    readonly firewall: Firewall;
    readonly ruleset: Ruleset;
    readonly host: Host;
  },
): Promise<readonly RuleCounter[]> {
  return ruleCounters(firewall, await countsOf(host, ruleset));
}

/** Where the set is not in the kernel, as while the network is released, nothing is counted. */
function nothingThere(error: unknown): [] {
  if (error instanceof Problem && error.status === 404) return [];
  throw error;
}

async function countsOf(host: Host, ruleset: Ruleset): Promise<Counts> {
  const counts = new Map<string, Map<string, Counted>>();
  for (const { family, name: table, sets } of ruleset.tables) {
    for (const set of sets) {
      const size = set.elements.size;
      if (!set.counter || size === 0 || size > MAX_ELEMENTS) continue;
      const map = set.value !== undefined;
      const asked = { kind: "set", family, table, name: set.name, map } as const;
      const entries = await host.inspect(asked).catch(nothingThere);
      const base = baseName(set.name);
      counts.set(base, new Map([...counts.get(base) ?? [], ...readCounts(entries)]));
    }
  }
  return counts;
}
