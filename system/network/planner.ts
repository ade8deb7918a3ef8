import type { Config } from "../config.ts";
import type { Planner } from "../core/change.ts";
import { judge } from "../firewall/judge.ts";
import { describe } from "./describe.ts";
import { diff } from "./diff.ts";
import { flips } from "./flips.ts";
import { packet } from "./packet.ts";
import { desire } from "./plan.ts";
import { reconcile } from "./reconcile.ts";

/** The pure functions that turn Sluice's configuration into a kernel state, for every host. */
export const planner: Planner<Config> = {
  desire,
  diff,
  reconcile,
  judge: (desired, seen) => judge(desired.ruleset, seen),
  packet,
  flips,
  describe,
};
