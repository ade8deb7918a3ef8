import type { KernelEvent } from "../../core/kernel/host.ts";
import { Follower } from "./follower.ts";

/** `3: eth0@if2: <…>` or `Deleted 3: eth0    inet 192.0.2.1/24 …` of `ip -o monitor`. */
const LINK = /^(?:Deleted )?\d+: ([^:@\s]+)/;
/** A route of the main table, or a neighbour: `Deleted 192.0.2.2 dev eth0 lladdr … PERMANENT`. */
const DEVICE = / dev ([^\s]+)/;
/** Neighbours that come and go by themselves, and what the kernel keeps in tables of its own. */
const FLEETING =
  /\b(?:REACHABLE|STALE|DELAY|PROBE|FAILED|INCOMPLETE|NOARP|NONE)\b|\btable local\b|^(?:Deleted )?(?:local|broadcast|multicast|anycast) /;
/** Printed by `nft monitor` after each transaction. */
const GENERATION = /^# new generation /;
/** Milliseconds after our last transaction until which its report may still be on its way. */
const REPORT_DELAY = 10_000;

/** Notices transactions of others; ours are run through it, so that it can tell them apart. */
export interface RulesetWatch {
  during(transaction: () => Promise<void>): Promise<void>;
  close(): void | Promise<void>;
}

/** Follows links, addresses, routes and fixed neighbours of this network namespace until stopped. */
export function followLinks(
  emit: (event: KernelEvent) => void,
  complain: (message: string) => void,
): { stop(): Promise<void> } {
  return new Follower({
    tool: "ip",
    args: ["-o", "monitor", "link", "address", "route", "neigh"],
    line: (line) => {
      const name = linkOf(line);
      if (name !== null) emit({ kind: "link", name });
    },
    lost: () => emit({ kind: "reconnected" }),
    complain,
  });
}

/** The link that a line of `ip -o monitor` is about; null when it is about none, or does not matter. */
export function linkOf(line: string): string | null {
  const link = LINK.exec(line)?.[1];
  if (link !== undefined) return link;
  return FLEETING.test(line) ? null : DEVICE.exec(line)?.[1] ?? null;
}

/**
 * Counts transactions: each of ours is announced, and each that stands is reported once. More reports
 * than ours mean that someone else changed the ruleset.
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

/** Follows `nft monitor`, where the generation cannot be asked for; it reads every element. */
export class MonitorWatch implements RulesetWatch {
  readonly #own: OwnTransactions;
  readonly #monitor: Follower;

  constructor(foreign: () => void, complain: (message: string) => void) {
    this.#own = new OwnTransactions(foreign);
    this.#monitor = new Follower({
      tool: "nft",
      args: ["monitor"],
      line: (line) => {
        if (GENERATION.test(line)) this.#own.reported();
      },
      lost: foreign,
      complain,
    });
  }

  during(transaction: () => Promise<void>): Promise<void> {
    return this.#own.during(transaction);
  }

  async close(): Promise<void> {
    this.#own.close();
    await this.#monitor.stop();
  }
}
