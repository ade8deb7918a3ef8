import type { Bus } from "../core/bus.ts";
import { relayPlan, type RelaySources } from "./relay_plan.ts";
import type { RelayPlan } from "./schema.ts";

/** Longest wait for a change, in milliseconds; the asker then asks again. */
const LONGEST = 20_000;
/** How often the state is looked at while someone waits, in milliseconds: it is told nowhere. */
const LOOK = 500;

/** What waiting for a plan needs from outside. */
export interface PlanWaitDeps extends RelaySources {
  readonly bus: Pick<Bus, "subscribe">;
  readonly ending: AbortSignal;
}

/** Makes the function that waits until the plan is another than the known one, and answers it. */
export function createPlanWait(deps: PlanWaitDeps): (known: string) => Promise<RelayPlan> {
  let plan = relayPlan(deps);
  let made: readonly unknown[] = [];

  /** The plan of now, made anew only when something that it hangs on is another. */
  const current = (): RelayPlan => {
    const { config, desired, network } = deps.engine;
    const now = [
      ...[config.multicast, config.hostName, config.devices, config.interfaces],
      ...[desired, network.state],
    ];
    if (now.some((part, at) => part !== made[at])) {
      plan = relayPlan(deps);
      made = now;
    }
    return plan;
  };

  return async (known) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const look = (): void => {
      if (deps.ending.aborted || current().tag !== known) resolve();
    };
    const unsubscribe = deps.bus.subscribe(look);
    const timer = setInterval(look, LOOK);
    const late = setTimeout(resolve, LONGEST);
    look();
    await promise;
    unsubscribe();
    clearInterval(timer);
    clearTimeout(late);
    return current();
  };
}
