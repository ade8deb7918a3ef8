import type { KernelEvent } from "../core/kernel.ts";
import { Follower } from "./follow.ts";

/** `3: eth0@if2: <…>` or `Deleted 3: eth0@if2: <…>` of `ip -o monitor link`. */
const LINK = /^(?:Deleted )?\d+: ([^:@\s]+)/;
/** Printed by `nft monitor` after each transaction. */
const GENERATION = /^# new generation /;

/** Milliseconds after our last transaction until which its report may still be on its way. */
const REPORT_DELAY = 1000;

/**
 * Tells our own transactions from others': each of ours is announced, and each that stood is reported
 * once by the monitor. More reports than ours mean someone else changed the ruleset.
 */
export class OwnTransactions {
  readonly #foreign: () => void;
  #running = 0;
  #awaited = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(foreign: () => void) {
    this.#foreign = foreign;
  }

  /** Runs a transaction of ours. */
  async during(transaction: () => Promise<void>): Promise<void> {
    this.#running++;
    this.#awaited++;
    clearTimeout(this.#timer);
    try {
      await transaction();
    } catch (error) {
      // What is refused makes no generation.
      this.#awaited--;
      throw error;
    } finally {
      this.#running--;
      this.#settle();
    }
  }

  /** A transaction of anyone was reported. */
  reported(): void {
    this.#awaited--;
    this.#settle();
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #settle(): void {
    if (this.#running > 0) return;
    clearTimeout(this.#timer);
    if (this.#awaited < 0) {
      this.#awaited = 0;
      this.#foreign();
    } else if (this.#awaited > 0) {
      // A report that never comes must not hide someone else's transaction later.
      this.#timer = setTimeout(() => this.#awaited = 0, REPORT_DELAY);
    }
  }
}

/** What the watch needs of its surroundings. */
export interface WatchOptions {
  readonly emit: (event: KernelEvent) => void;
  readonly reported: () => void;
  readonly complain: (message: string) => void;
}

/** Follows links and rulesets of this network namespace until it is stopped. */
export function watchKernel(options: WatchOptions): { stop(): Promise<void> } {
  const links = new Follower({
    tool: "ip",
    args: ["-o", "monitor", "link"],
    line: (line) => {
      const name = linkOf(line);
      if (name !== null) options.emit({ kind: "link", name });
    },
    lost: () => options.emit({ kind: "reconnected" }),
    complain: options.complain,
  });
  const rulesets = new Follower({
    tool: "nft",
    args: ["monitor"],
    line: (line) => {
      if (GENERATION.test(line)) options.reported();
    },
    lost: () => options.emit({ kind: "ruleset" }),
    complain: options.complain,
  });
  return {
    stop: async (): Promise<void> => {
      await Promise.all([links.stop(), rulesets.stop()]);
    },
  };
}

/** The link that a line of `ip -o monitor link` is about; null when it is about none. */
export function linkOf(line: string): string | null {
  return LINK.exec(line)?.[1] ?? null;
}
