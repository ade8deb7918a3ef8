import type { Config } from "../../config.ts";
import { onceEach } from "../../core/config/memo.ts";
import type { ChangeEngine } from "../../core/engine/change.ts";
import { fingerprint } from "../../multicast/relay_plan.ts";
import { hasPlan } from "../../network/has_plan.ts";
import type { PlannedTunnel, TunnelPlan } from "./plan_schema.ts";
import { plannedTunnels } from "./planned_tunnels.ts";

const IDLE: TunnelPlan = { tag: "nothing", decided: true, tunnels: [] };
const UNDECIDED: TunnelPlan = { tag: "undecided", decided: false, tunnels: [] };

/** Plans of the process `wireguard`, each with a tag that none before it had since the start. */
export class TunnelPlans {
  readonly #engine: Pick<ChangeEngine<Config>, "config" | "network">;
  #digest = "";
  /** Plans that there were so far. */
  #count = 0;

  constructor(engine: Pick<ChangeEngine<Config>, "config" | "network">) {
    this.#engine = engine;
  }

  /** The present one: nothing where the network is not applied, else the tunnels that are on. */
  get present(): TunnelPlan {
    const { config, network } = this.#engine;
    if (!hasPlan(network)) return UNDECIDED;
    if (network.state !== "applied") return IDLE;
    const tunnels = plannedTunnels(config), digest = digestOf(tunnels);
    // A plan that comes back after another is a new one: a report may still be of the first.
    if (this.#digest !== digest) this.#count++;
    this.#digest = digest;
    return { tag: `${digest}-${this.#count}`, decided: true, tunnels: [...tunnels] };
  }
}

/** It stands in a query, and says nothing of the keys. */
const digestOf = onceEach((tunnels: readonly PlannedTunnel[]) =>
  fingerprint(JSON.stringify(tunnels))
);
