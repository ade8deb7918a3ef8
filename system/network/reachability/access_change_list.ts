import type { AccessChange } from "../../core/engine/change.ts";
import type { Desired } from "../../core/kernel/desired.ts";
import type { PacketTrace } from "../../core/kernel/ruleset.ts";

/** Flips that are listed; the rest is counted. */
const MAX_LISTED = 200;

/** An address that stands for everywhere outside. */
export const INTERNET_ADDRESS = "1.1.1.1";

/** A connection evaluated in two states. Null: the device does not exist in that state. */
export type Probe = (desired: Desired, side: "before" | "after") => PacketTrace | null;

function reasonOf(trace: PacketTrace | null): string {
  const step = trace?.steps.findLast((one) => one.outcome === trace.verdict);
  return step?.comment ?? "The device has no address";
}

/** Gathers what flips, with the listing's limit. */
export class AccessChangeList {
  readonly allowed: AccessChange[] = [];
  readonly denied: AccessChange[] = [];
  more = 0;

  /** Asks once for a whole class of pairs, and lists each pair when the answer flips. */
  compare(
    states: readonly [Desired, Desired],
    traffic: string,
    question: Probe,
    pairs: () => Iterable<readonly [string, string]>,
  ): void {
    const before = question(states[0], "before");
    const after = question(states[1], "after");
    const could = before?.verdict === "accept", can = after?.verdict === "accept";
    if (could === can) return;
    const reason = reasonOf(after);
    for (const [from, to] of pairs()) {
      if (this.allowed.length + this.denied.length >= MAX_LISTED) this.more++;
      else (can ? this.allowed : this.denied).push({ from, to, traffic, reason });
    }
  }
}
