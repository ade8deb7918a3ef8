import type { AccessChange } from "../../core/engine/change.ts";
import type { Desired } from "../../core/kernel/desired.ts";
import type { PacketTrace } from "../../core/kernel/ruleset.ts";

/** Flips that are listed; the rest is counted. */
const MAX_LISTED = 200;

/** An address that stands for everywhere outside. */
export const INTERNET_ADDRESS = "1.1.1.1";

/** A connection evaluated in two states. Null: the device does not exist in that state. */
export type Probe = (desired: Desired, side: "before" | "after") => PacketTrace | null;

/** The rule that decided on a packet, in words; null for a device without an address. */
export function reasonOf(trace: PacketTrace | null): string {
  const step = trace?.steps.findLast((one) => one.outcome === trace.verdict);
  return step?.comment ?? NO_ADDRESS;
}

/** The reason where a device has no address. */
export const NO_ADDRESS = "The device has no address";

/** The reason where nothing leads to the Internet. */
export const NO_UPLINK = "The router has no WAN uplink";

/** Connections of which each flips. */
export interface FlippedPairs {
  readonly traffic: string;
  /** True where they are allowed now. */
  readonly allowed: boolean;
  readonly reason: string;
  readonly pairs: Iterable<readonly [string, string]>;
  /** How many there are. */
  readonly size: number;
}

/** Gathers what flips, with the listing's limit. */
export class AccessChangeList {
  readonly allowed: AccessChange[] = [];
  readonly denied: AccessChange[] = [];
  more = 0;

  /**
   * Asks once for a whole class of pairs, and lists each pair when the answer flips. `absent` is the
   * reason where an end does not exist afterwards.
   */
  compare(
    states: readonly [Desired, Desired],
    traffic: string,
    question: Probe,
    pairs: () => readonly (readonly [string, string])[],
    absent = NO_ADDRESS,
  ): void {
    const before = question(states[0], "before");
    const after = question(states[1], "after");
    const could = before?.verdict === "accept", can = after?.verdict === "accept";
    if (could === can) return;
    const list = pairs();
    const reason = after === null ? absent : reasonOf(after);
    this.add({ traffic, allowed: can, reason, pairs: list, size: list.length });
  }

  /** Lists flips up to the limit, and counts the others. */
  add({ traffic, allowed, reason, pairs, size }: FlippedPairs): void {
    const list = allowed ? this.allowed : this.denied;
    let left = size;
    for (const [from, to] of pairs) {
      if (this.allowed.length + this.denied.length >= MAX_LISTED) break;
      list.push({ from, to, traffic, reason });
      left--;
    }
    this.more += left;
  }
}
