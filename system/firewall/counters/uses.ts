import * as z from "zod";
import type { RuleCounter } from "./counters.ts";

/** What is kept of a rule's use. Times are unix milliseconds, as of the look that found them. */
export const RuleUse = z.object({
  /** When its packets were first looked at. */
  since: z.int(),
  /** What the kernel had counted at the last look. */
  packets: z.int(),
  /** When a look last found more; null: never yet. */
  lastUsed: z.int().nullable(),
});
export type RuleUse = z.output<typeof RuleUse>;

/** The uses of rules, by {@link useKey}. */
export const RuleUses = z.record(z.string(), RuleUse);
export type RuleUses = Readonly<Record<string, RuleUse>>;

/** What tells a rule from the others: its kind and what it says. */
export function useKey({ kind, rule }: Pick<RuleCounter, "kind" | "rule">): string {
  return `${kind} ${rule}`;
}

/**
 * The uses after another look at `now`. The kernel counts from zero whenever a rule is loaded anew,
 * so a count that differs from the last, and is not zero, is use. Rules that are gone are forgotten;
 * one without a counter at the moment keeps its last value. `before` itself when nothing is new.
 */
export function noteUses(
  before: RuleUses,
  counters: readonly RuleCounter[],
  now: number,
): RuleUses {
  const after: Record<string, RuleUse> = {};
  let same = true;
  for (const counter of counters) {
    const key = useKey(counter);
    const known = Object.hasOwn(before, key) ? before[key] : undefined;
    const next = counter.packets === null ? known : noted(known, counter.packets, now);
    if (next === undefined) continue;
    after[key] = next;
    same &&= next === known;
  }
  return same && Object.keys(after).length === Object.keys(before).length ? before : after;
}

function noted(known: RuleUse | undefined, packets: number, now: number): RuleUse {
  if (known === undefined) return { since: now, packets, lastUsed: packets > 0 ? now : null };
  if (known.packets === packets) return known;
  return { since: known.since, packets, lastUsed: packets > 0 ? now : known.lastUsed };
}
