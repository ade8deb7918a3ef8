import type { NetworkFindings } from "../change.ts";
import type { Facts, HookFact } from "../../kernel/facts.ts";
import type { Finding } from "../../kernel/host.ts";
import type { Parts } from "../parts.ts";

/** Seconds between two comparisons that nothing gave rise to, and between two thorough ones. */
const COMPARE_INTERVAL_S = 30;
const THOROUGH_INTERVAL_S = 600;

/** Seconds after a repair before the next: someone else may undo it again and again. */
const REPAIR_DELAY_S = { first: 1, longest: 60 } as const;
/** Seconds without a difference after which the pauses start anew. */
const CALM_PERIOD_S = 300;

/** Differences that a notice names. */
const MAX_LISTED = 5;

/** Hooks on the way of a packet that passes the router, ends at it or begins there. */
const PACKET_HOOKS = new Set(["prerouting", "input", "forward", "output", "postrouting"]);

/** Compares the kernel with the state that should stand, and says what to do about it. */
export class DriftWatch<C> {
  readonly #parts: Parts<C>;
  /** Boot clock, in seconds. */
  readonly #clock: () => number;
  #rules: readonly Finding[] = [];
  #drift: readonly Finding[] = [];
  #suspect = true;
  #nextAt: number;
  #thoroughAt: number;
  #pause: number = REPAIR_DELAY_S.first;
  #notBefore = 0;
  #repairedAt = 0;

  constructor(parts: Parts<C>, clock: () => number) {
    this.#parts = parts;
    this.#clock = clock;
    this.#nextAt = clock() + COMPARE_INTERVAL_S;
    this.#thoroughAt = clock() + THOROUGH_INTERVAL_S;
  }

  /** What differed when last looked, and what others have put in the way. */
  get findings(): NetworkFindings {
    return { drift: this.#drift, foreign: foreignHooks(this.#parts.enforcement.facts) };
  }

  /** Something in the kernel changed that was not ours. */
  suspect(): void {
    this.#suspect = true;
  }

  /** Whether the rules are to be compared now. */
  get due(): boolean {
    const now = this.#clock();
    return now >= this.#notBefore && (this.#suspect || now >= this.#nextAt);
  }

  /** Everything was loaded a moment ago: nothing differs. */
  async loaded(): Promise<void> {
    this.#suspect = false;
    this.#rules = [];
    await this.#setDrift([]);
  }

  /**
   * Compares, with facts that were read just before. Answers true when something must be put right at
   * once. Throws Problem when the kernel cannot be read.
   */
  async compare(thorough = this.#clock() >= this.#thoroughAt): Promise<boolean> {
    const { enforcement, planner } = this.#parts;
    const { state } = enforcement.network;
    const now = this.#clock();
    if (state !== "applied" && state !== "model") {
      await this.#setDrift([]);
      return false;
    }
    if (this.due || thorough) {
      this.#rules = await enforcement.host.compare(thorough);
      this.#suspect = false;
      this.#nextAt = now + COMPARE_INTERVAL_S;
      if (thorough) this.#thoroughAt = now + THOROUGH_INTERVAL_S;
    }
    const drift = [...planner.drift(enforcement.desired, enforcement.facts), ...this.#rules];
    await this.#setDrift(drift);
    if (now - this.#repairedAt > CALM_PERIOD_S) this.#pause = REPAIR_DELAY_S.first;
    if (!drift.some((finding) => finding.urgent)) return false;
    if (now >= this.#notBefore) return true;
    this.#suspect = true;
    return false;
  }

  /** Tells people what is about to be put right without asking them. */
  async reportRepair(): Promise<void> {
    const now = this.#clock();
    this.#repairedAt = now;
    this.#notBefore = now + this.#pause;
    this.#pause = Math.min(this.#pause * 2, REPAIR_DELAY_S.longest);
    await this.reportPutBack(this.#drift);
  }

  /** Tells people what was put right already: tables that were gone, what a change met on its way. */
  async reportPutBack(drift: readonly Finding[]): Promise<void> {
    if (drift.length === 0) return;
    const detail = `Something else changed what Sluice had set, and it was put right: ${
      describeDrift(drift)
    }`;
    this.#parts.log.warn("drift.repaired", detail);
    await this.#updateNotice(() =>
      this.#parts.notices.open("drift-repaired", detail, { drift: drift.slice(0, MAX_LISTED) })
    );
  }

  async #setDrift(drift: readonly Finding[]): Promise<void> {
    const same = JSON.stringify(drift) === JSON.stringify(this.#drift);
    this.#drift = drift;
    const waiting = drift.filter((finding) => !finding.urgent);
    if (same) return;
    const { bus, notices, enforcement } = this.#parts;
    bus.publish("network", { ...enforcement.network, drift: drift.length });
    await this.#updateNotice(() =>
      waiting.length === 0 ? notices.settle("drift") : notices.open(
        "drift",
        `The kernel differs from what was decided: ${describeDrift(waiting)}`,
        { drift: waiting.slice(0, MAX_LISTED) },
      )
    );
  }

  async #updateNotice(update: () => Promise<void>): Promise<void> {
    try {
      await update();
    } catch (error) {
      this.#parts.log.error("notices.write_failed", "Could not save a notice", { error });
    }
  }
}

/** Chains of others on a packet's way that do something. */
function foreignHooks(facts: Facts): readonly HookFact[] {
  const ours = new Set(
    facts.tables.filter(({ comment }) => comment === "sluice").map((one) =>
      `${one.family} ${one.name}`
    ),
  );
  return (facts.hooks ?? []).filter((hook) =>
    !ours.has(`${hook.family} ${hook.table}`) && PACKET_HOOKS.has(hook.hook) &&
    (hook.rules > 0 || hook.policy === "drop")
  );
}

function describeDrift(drift: readonly Finding[]): string {
  const named = drift.slice(0, MAX_LISTED).map(({ what, expected, found }) => {
    if (found === null) return `${what} lacks "${expected}"`;
    return expected === null
      ? `${what} has "${found}" besides`
      : `${what} has "${found}" instead of "${expected}"`;
  });
  const more = drift.length - named.length;
  return [...named, ...(more > 0 ? [`${more} more`] : [])].join("; ");
}
