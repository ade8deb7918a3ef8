import type { Host } from "../../core/kernel/host.ts";
import { Problem } from "../../core/errors/problem.ts";
import { inSlices } from "../../core/time/slices.ts";
import type { Ruleset } from "../../core/kernel/ruleset.ts";
import {
  type Counted,
  type Counts,
  readCountSteps,
  type RuleCounter,
  ruleCounterSteps,
} from "./counters.ts";
import { baseName } from "../sets/regions.ts";
import type { Device } from "../../devices/schema.ts";
import type { Firewall } from "../schema.ts";

/** Elements of a set beyond which its counters are not read. */
const MAX_ELEMENTS = 2000;

/** Reads each rule's counters from the kernel, in slices. Throws 502 where that fails. */
export async function countRules(
  { firewall, devices, ruleset, host }: {
    readonly firewall: Firewall;
    readonly devices: readonly Device[];
    readonly ruleset: Ruleset;
    readonly host: Host;
  },
  signal: AbortSignal,
): Promise<readonly RuleCounter[]> {
  const counts = await countsOf({ host, ruleset }, signal);
  return await inSlices(ruleCounterSteps({ firewall, devices }, counts), { signal });
}

/** Where the set is not in the kernel, as while the network is released, nothing is counted. */
function nothingThere(error: unknown): [] {
  if (error instanceof Problem && error.status === 404) return [];
  throw error;
}

async function countsOf(
  { host, ruleset }: { readonly host: Host; readonly ruleset: Ruleset },
  signal: AbortSignal,
): Promise<Counts> {
  const counts = new Map<string, Map<string, Counted>>();
  for (const { family, name: table, sets } of ruleset.tables) {
    for (const set of sets) {
      const size = set.elements.size;
      if (!set.counter || size === 0 || size > MAX_ELEMENTS) continue;
      const map = set.value !== undefined;
      const request = { kind: "set", family, table, name: set.name, map } as const;
      signal.throwIfAborted();
      const entries = await host.inspect(request).catch(nothingThere);
      const read = await inSlices(readCountSteps(entries), { signal });
      const base = baseName(set.name);
      counts.set(base, new Map([...counts.get(base) ?? [], ...read]));
    }
  }
  return counts;
}
