import type { Config } from "../../config.ts";
import type { ChangeEngine } from "../../core/engine/change.ts";
import type { Bus } from "../../core/events/bus.ts";
import type { NoticeBoard } from "../../core/events/notice.ts";
import type { TunnelPlans } from "./tunnel_plan.ts";

/** Milliseconds that the process `wireguard` may take for a plan before it counts as not responding. */
const PLAN_TIMEOUT_MS = 20_000;
const KIND = "vpn-pending";
const PROBLEM =
  "The process wireguard does not respond. Changes of the VPN take effect once it is " +
  "back; revoked keys have no access meanwhile";

/** What {@link PendingPlan} needs. */
export interface PendingPlanDeps {
  readonly engine: Pick<ChangeEngine<Config>, "observed">;
  readonly plans: Pick<TunnelPlans, "present">;
  readonly bus: Pick<Bus, "subscribe">;
  readonly notices: Pick<NoticeBoard, "open" | "settle">;
  readonly ending: AbortSignal;
}

/** Whether the tunnels run as they are planned, and what is said where they do not for a while. */
export class PendingPlan {
  readonly #deps: PendingPlanDeps;
  readonly #waiting = new Set<() => void>();
  #reported: string | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isLate = false;

  constructor(deps: PendingPlanDeps) {
    this.#deps = deps;
    const unsubscribe = deps.bus.subscribe(
      () => queueMicrotask(() => this.#look()),
      ["wireguard", "devices", "mesh"],
    );
    deps.ending.addEventListener("abort", () => {
      unsubscribe();
      clearTimeout(this.#timer);
      for (const done of this.#waiting) done();
    });
    this.#look();
  }

  /** Why a change is not active yet, for people; "" while none is overdue. */
  get problem(): string {
    return this.#isLate ? PROBLEM : "";
  }

  /** Takes in which plan the tunnels were brought to. */
  reported(tag: string): void {
    this.#reported = tag;
    this.#look();
  }

  /** Waits until the tunnels run as planned; returns why they do not where that takes too long. */
  async settled(milliseconds: number): Promise<string> {
    if (!this.#isPending() || this.#deps.ending.aborted) return "";
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, milliseconds);
    this.#waiting.add(resolve);
    await promise;
    this.#waiting.delete(resolve);
    clearTimeout(timer);
    return this.#isPending() ? PROBLEM : "";
  }

  /** Nobody waits for a plan without tunnels, unless keys are to be gone with it. */
  #isPending(): boolean {
    const { engine, plans } = this.#deps;
    const { tag, tunnels, decided } = plans.present;
    if (tag === this.#reported || !decided) return false;
    return tunnels.length > 0 ||
      Object.values(engine.observed.tunnels ?? {}).some(({ revoked }) => revoked.length > 0);
  }

  #look(): void {
    if (this.#deps.ending.aborted) return;
    if (this.#isPending()) {
      this.#timer ??= setTimeout(() => void this.#overdue(), PLAN_TIMEOUT_MS);
      return;
    }
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const done of this.#waiting) done();
    if (!this.#isLate) return;
    this.#isLate = false;
    void this.#deps.notices.settle(KIND).catch(() => {});
  }

  async #overdue(): Promise<void> {
    this.#timer = undefined;
    if (!this.#isPending() || this.#deps.ending.aborted) return;
    this.#isLate = true;
    await this.#deps.notices.open(KIND, PROBLEM).catch(() => {});
  }
}
