import { atOnce } from "../../core/time/slices.ts";
import { meshPorts } from "../../mesh/network.ts";
import { openPorts } from "../../wireguard/plan.ts";
import { lintBlocks } from "./blocks.ts";
import { lintForwards } from "./forwards.ts";
import { lintReferences, type Surroundings } from "./references.ts";
import type { LintFinding } from "./schema.ts";

export type { Surroundings } from "./references.ts";

/** What {@link lintSteps} comes to, at once. */
export function lintFirewall(around: Surroundings): readonly LintFinding[] {
  return atOnce(lintSteps(around));
}

/** Possible problems of all rules, in the order of the lists. Yields after each small step. Pure. */
export function* lintSteps(around: Surroundings): Generator<void, readonly LintFinding[]> {
  const { firewall, wireguard, mesh } = around.config;
  const blocks = yield* lintBlocks(firewall);
  const forwards = yield* lintForwards(firewall, [
    ...openPorts(wireguard).map((one) => ({ ...one, protocol: "udp" as const })),
    ...meshPorts(mesh),
  ]);
  const references = lintReferences(around);
  yield;
  const found = [...blocks, ...forwards, ...references];
  const lists = Object.keys(firewall);
  return found.toSorted((a, b) =>
    lists.indexOf(a.rule.list) - lists.indexOf(b.rule.list) || a.rule.index - b.rule.index
  );
}
