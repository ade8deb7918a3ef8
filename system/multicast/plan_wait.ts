import type { Bus } from "../core/events/bus.ts";
import { longPoll } from "../core/ipc/long_poll.ts";
import { relayPlan, type RelaySources } from "./relay_plan.ts";
import type { RelayPlan } from "./schema.ts";

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
    await longPoll({ ...deps, isOther: () => current().tag !== known });
    return current();
  };
}
