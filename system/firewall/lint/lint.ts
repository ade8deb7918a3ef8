import { lintBlocks } from "./blocks.ts";
import { lintForwards } from "./forwards.ts";
import { lintPlaces, type Surroundings } from "./references.ts";
import type { LintFinding } from "./schema.ts";

export type { Surroundings } from "./references.ts";

/** Possible problems of all rules, in the order of the lists. Pure. */
export function lintFirewall(around: Surroundings): readonly LintFinding[] {
  const { firewall } = around.config;
  const found = [...lintBlocks(firewall), ...lintForwards(firewall), ...lintPlaces(around)];
  const lists = Object.keys(firewall);
  return found.toSorted((a, b) =>
    lists.indexOf(a.rule.list) - lists.indexOf(b.rule.list) || a.rule.index - b.rule.index
  );
}
