import { flushFlows } from "../after_commit.ts";
import type { NetworkFindings, NetworkState } from "../change.ts";
import type { Host, KernelEvent } from "../../kernel/host.ts";
import type { KernelPlan } from "../../kernel/plan.ts";
import { DriftWatch } from "./drift_watch.ts";
import type { Parts } from "../parts.ts";
import { Turns } from "../../time/slices.ts";

/** Pause before the first further try at a kernel that refuses, and the longest one, in seconds. */
const RETRY_DELAY_S = { first: 1, longest: 60 } as const;

/** A table that is someone else's is looked for again this often, in seconds. */
const BLOCKED_RETRY_DELAY_S = 30;

/**
 * What the kernel has is read again for at most one part in so many of the time, but for what cannot
 * wait: with many devices it takes a while, and each new one moves addresses.
 */
const READING_SHARE = 20;
/**
 * Where a link, a route or a fixed neighbour changed, perhaps by another program, it is read this many
 * seconds later at most: someone else could answer for the address of a device until then.
 */
const MAX_EVENT_DELAY_S = 2;
/** Seconds between two ticks, at each of which it may be read. */
const TICK_S = 1;

/** How the reconciler gets its turn in the engine's queue, and what time it is by. */
export interface KernelReconcilerOptions {
  /** Boot clock, in seconds. */
  readonly clock: () => number;
  /** Monotonic clock in seconds with their fractions: what reading takes is less than one. */
  readonly steady: () => number;
  readonly turn: (run: () => Promise<void>) => Promise<void>;
  /** Something happened that should not wait for the next tick. */
  readonly soon: () => void;
}

/** Follows what the kernel does by itself, and goes on trying what it refused. */
export class KernelReconciler<C> {
  readonly #parts: Parts<C>;
  readonly #options: KernelReconcilerOptions;
  readonly #drift: DriftWatch<C>;
  #reported: NetworkState | null = null;
  #unwatch: (() => void) | null = null;
  #stale = false;
  /** What made it stale must be followed at the next tick. */
  #isUrgent = false;
  /** The kernel itself reported something since it was last read. */
  #hasEvent = false;
  /** When what our plans moved is read back, and what the kernel reported; on the steady clock. */
  #followAt = { own: -Infinity, event: -Infinity };
  /** Links that came or went since the kernel was last read. */
  readonly #moved = new Set<string>();
  #reload = false;
  #pause: number = RETRY_DELAY_S.first;
  #tryAt = 0;

  constructor(parts: Parts<C>, options: KernelReconcilerOptions) {
    this.#parts = parts;
    this.#options = options;
    this.#drift = new DriftWatch(parts, options.clock);
  }

  get findings(): NetworkFindings {
    return this.#drift.findings;
  }

  /** Loads everything; `network` tells what came of it. */
  async load(): Promise<void> {
    const { enforcement, active } = this.#parts;
    this.#unwatch ??= enforcement.host.watch((event) => this.#onKernelEvent(event));
    this.#stale = this.#reload = this.#hasEvent = false;
    this.#moved.clear();
    const plan = await enforcement.load(active.config, active.observed);
    // A crash, or another program that changed the rules meanwhile, may have left connections that they refuse.
    await flushFlows(plan, this.#parts);
    await this.#drift.loaded();
    await this.#drift.reportPutBack(enforcement.takePutBack());
    const { state } = enforcement.network;
    this.#pause = state === "broken"
      ? Math.min(this.#pause * 2, RETRY_DELAY_S.longest)
      : RETRY_DELAY_S.first;
    // Where the kernel took everything, a cable that is pulled the next moment waits for nothing.
    this.#tryAt = state === "applied" || state === "model"
      ? 0
      : this.#options.clock() + (state === "blocked" ? BLOCKED_RETRY_DELAY_S : this.#pause);
    // What was loaded may have made addresses and links of its own.
    if (state === "applied") this.#stale = true;
    await this.report();
  }

  async attach(host: Host): Promise<void> {
    this.#unwatch?.();
    this.#unwatch = null;
    this.#pause = RETRY_DELAY_S.first;
    this.#parts.enforcement.attach(host);
    await this.load();
  }

  async takeOver(): Promise<void> {
    this.#parts.enforcement.takeOver();
    await this.load();
  }

  /** Loads everything and looks again whether anything differs. */
  async repair(): Promise<void> {
    await this.load();
    await this.#follow(true);
  }

  /** Takes ours out of the kernel until {@link apply}. Throws Problem when something is left. */
  async release(): Promise<void> {
    const { enforcement, active, release } = this.#parts;
    // First, so that a crash in between leaves a Sluice that keeps out.
    await release.write();
    try {
      await enforcement.release(active.config);
    } finally {
      await this.report();
    }
  }

  /** Ends a release, and loads everything. */
  async apply(): Promise<void> {
    const { enforcement, release } = this.#parts;
    await release.remove();
    enforcement.endRelease();
    await this.load();
  }

  /** Links and addresses that a plan moved are read back at the next tick. */
  markStale(plan: KernelPlan): void {
    if (plan.steps.some((step) => step.kind === "ip")) this.#stale = true;
  }

  /** True for a link that came or went, and whose addresses may be missing since. */
  hasMoved(link: string): boolean {
    return this.#moved.has(link);
  }

  /** Within a turn: reads what has changed, or tries again what was refused. */
  async tick(): Promise<void> {
    const { state } = this.#parts.enforcement.network;
    const due = this.#options.clock() >= this.#tryAt;
    if (state === "broken" ? due : state === "blocked" ? due || this.#stale : this.#reload) {
      return await this.load();
    }
    const followAt = this.#hasEvent ? this.#followAt.event : this.#followAt.own;
    const isStale = this.#stale && (this.#isUrgent || this.#options.steady() >= followAt);
    if (due && (isStale || this.#drift.due)) await this.#follow();
  }

  /** Reads what the kernel has, follows it, and puts right what must not wait. */
  async #follow(thorough?: boolean): Promise<void> {
    const { enforcement, active, bus, log } = this.#parts;
    const moved = [...this.#moved];
    this.#stale = this.#isUrgent = this.#hasEvent = false;
    this.#moved.clear();
    const started = this.#options.steady();
    const turns = new Turns();
    try {
      const follow = async (): Promise<boolean> => {
        const before = JSON.stringify(enforcement.desired.facts?.uplinks ?? []);
        const plan = await enforcement.refresh(active.config, active.observed);
        const uplinks = enforcement.desired.facts?.uplinks ?? [];
        if (JSON.stringify(uplinks) !== before) {
          const states = uplinks.map(({ name, running }) => ({ Iface: name, Running: running }));
          bus.publish("network:uplinks", states);
        }
        await flushFlows(plan, this.#parts);
        return plan.steps.some((step) => step.kind === "ip");
      };
      // What was read lacks what following it has set: it is compared once it is read back.
      if (await follow()) await follow();
      await turns.pause();
      await this.#drift.reportPutBack(enforcement.takePutBack());
      if (await this.#drift.compare(thorough)) {
        await this.#drift.reportRepair();
        await this.load();
      }
      this.#pause = RETRY_DELAY_S.first;
    } catch (error) {
      // Nothing was read: only the pause for a kernel that refuses keeps it from the next try.
      this.#stale = this.#isUrgent = true;
      for (const link of moved) this.#moved.add(link);
      this.#pause = Math.min(this.#pause * 2, RETRY_DELAY_S.longest);
      this.#tryAt = this.#options.clock() + this.#pause;
      log.warn("kernel.watch_failed", "Could not watch the kernel for changes", { error });
    }
    const ended = this.#options.steady();
    const rest = (ended - started) * (READING_SHARE - 1);
    this.#followAt = {
      own: ended + rest - TICK_S,
      event: ended + Math.min(rest, MAX_EVENT_DELAY_S) - TICK_S,
    };
    await this.report();
  }

  /** Tells people when the kernel stopped following, or follows again. Never throws. */
  async report(): Promise<void> {
    const { enforcement, journal, bus, notices, log } = this.#parts;
    const network = enforcement.network;
    if (network === this.#reported) return;
    const before = this.#reported;
    this.#reported = network;
    if (before?.state === network.state && before.detail === network.detail) return;
    try {
      bus.publish("network", network);
    } catch (error) {
      log.error(
        "engine.network_announcement_failed",
        "Could not announce the state of the network",
        {
          error,
        },
      );
    }
    try {
      for (const state of ["broken", "blocked"] as const) {
        if (network.state !== state) await notices.settle(`network-${state}`);
        else await notices.open(`network-${state}`, network.detail ?? "");
      }
      if (network.state !== "broken") await journal.settleBroken();
    } catch (error) {
      log.error("notices.write_failed", "Could not save a notice", { error });
    }
  }

  close(): void {
    this.#unwatch?.();
    this.#unwatch = null;
  }

  #onKernelEvent(event: KernelEvent): void {
    this.#stale = this.#hasEvent = true;
    if (event.kind !== "link") {
      this.#isUrgent = true;
      this.#drift.suspect();
    }
    this.#parts.enforcement.forgetRoutes();
    if (event.kind === "link") this.#onLinkEvent(event.name, event.gone ?? false);
    if (event.kind !== "reconnected") return;
    this.#reload = true;
  }

  #onLinkEvent(name: string, isGone: boolean): void {
    const { facts: seen } = this.#parts.enforcement.desired;
    if (seen === undefined) return;
    // One that was not there before may become an uplink; one that returns has lost its addresses.
    const hasMoved = isGone || !seen.links.has(name);
    if (hasMoved) this.#moved.add(name);
    const isUplink = (seen.uplinks ?? []).some(({ link }) => link === name);
    if (!hasMoved && !isUplink) return;
    this.#isUrgent = true;
    this.#options.soon();
  }
}
