import type { Bus } from "../core/events/bus.ts";
import { longPoll } from "../core/ipc/long_poll.ts";
import type { UplinkPlan } from "./plan_schema.ts";
import { uplinkPlan, type UplinkPlanSources } from "./uplink_plan.ts";

/** What waiting for a plan needs from outside. */
export interface UplinkPlanDeps {
  readonly engine: UplinkPlanSources["engine"];
  readonly speed: () => UplinkPlanSources["speed"];
  readonly bus: Pick<Bus, "subscribe">;
  readonly ending: AbortSignal;
}

/** Makes the function that waits until the plan is another than the known one, and answers it. */
export function createUplinkPlans(deps: UplinkPlanDeps): (known: string) => Promise<UplinkPlan> {
  let plan: UplinkPlan | null = null;
  let made: readonly unknown[] = [];

  /** The plan of now, made anew only when something that it hangs on is another. */
  const current = (): UplinkPlan => {
    const { config, desired, network, observed } = deps.engine;
    const speed = deps.speed();
    const now = [
      ...[config.interfaces, config.ppp, config.wan, desired.seen, network.state],
      ...[observed.uplinks, speed],
    ];
    if (plan === null || now.some((part, at) => part !== made[at])) {
      plan = uplinkPlan({ engine: deps.engine, speed });
      made = now;
    }
    return plan;
  };

  return async (known) => {
    await longPoll({ ...deps, isOther: () => current().tag !== known });
    return current();
  };
}
