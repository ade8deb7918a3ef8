import type { ReachFlip } from "../../core/engine/change.ts";
import type { Desired } from "../../core/kernel/host.ts";
import type { Judgement } from "../../core/kernel/ruleset.ts";

/** Flips that are listed; the rest is counted. */
const LISTED = 200;

/** An address that stands for everywhere outside. */
export const INTERNET = "1.1.1.1";

/** A question that can be asked in two states. Null: in that state there is nobody to ask about. */
export type Ask = (desired: Desired, side: "before" | "after") => Judgement | null;

function because(judgement: Judgement | null): string {
  const step = judgement?.steps.findLast((one) => one.outcome === judgement.verdict);
  return step?.words ?? "It has no place in the network";
}

/** Gathers what flips, with the listing's limit. */
export class Flips {
  readonly gains: ReachFlip[] = [];
  readonly losses: ReachFlip[] = [];
  more = 0;

  /** Asks once for a whole class of pairs, and lists each pair when the answer flips. */
  ask(
    states: readonly [Desired, Desired],
    what: string,
    question: Ask,
    pairs: () => Iterable<readonly [string, string]>,
  ): void {
    const before = question(states[0], "before");
    const after = question(states[1], "after");
    const could = before?.verdict === "accept", can = after?.verdict === "accept";
    if (could === can) return;
    const words = because(after);
    for (const [from, to] of pairs()) {
      if (this.gains.length + this.losses.length >= LISTED) this.more++;
      else (can ? this.gains : this.losses).push({ from, to, what, because: words });
    }
  }
}
