import type { Config } from "../../config.ts";
import { onceEach } from "../../core/config/memo.ts";
import type { ChangeEngine } from "../../core/engine/change.ts";
import { fingerprint } from "../../multicast/relay_plan.ts";
import { hasPlan } from "../../network/has_plan.ts";
import type { PlannedTunnel, TunnelPlan } from "./plan_schema.ts";
import { plannedTunnels } from "./planned_tunnels.ts";

const IDLE: TunnelPlan = { tag: "nothing", decided: true, tunnels: [] };
const UNDECIDED: TunnelPlan = { tag: "undecided", decided: false, tunnels: [] };

/**
 * The plan of the process `wireguard`: nothing where the network is not applied, else the tunnels that
 * are on.
 */
export function tunnelPlan(
  { config, network }: Pick<ChangeEngine<Config>, "config" | "network">,
): TunnelPlan {
  if (!hasPlan(network)) return UNDECIDED;
  if (network.state !== "applied") return IDLE;
  const tunnels = plannedTunnels(config);
  return { tag: tagOf(tunnels), decided: true, tunnels: [...tunnels] };
}

/** It stands in a query, so that it is a digest, and says nothing of the keys. */
const tagOf = onceEach((tunnels: readonly PlannedTunnel[]) => fingerprint(JSON.stringify(tunnels)));
