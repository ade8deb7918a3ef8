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
 * The last plan of an engine, and how many others it had before. It is the only result that is kept with
 * an engine, or it could be lost and a tag be given twice (see `MAX_KEPT` in `memo.ts`).
 */
const lastOf = onceEach((_engine: object): { digest: string; count: number } => ({
  digest: "",
  count: 0,
}));

/**
 * The plan of the process `wireguard`: nothing where the network is not applied, else the tunnels that
 * are on. Its tag is one that the engine has not had since it was started.
 */
export function tunnelPlan(engine: Pick<ChangeEngine<Config>, "config" | "network">): TunnelPlan {
  const { config, network } = engine;
  if (!hasPlan(network)) return UNDECIDED;
  if (network.state !== "applied") return IDLE;
  const tunnels = plannedTunnels(config), digest = digestOf(tunnels);
  // A plan that comes back after another is a new one: a report may still be of the first.
  const last = lastOf(engine);
  if (last.digest !== digest) Object.assign(last, { digest, count: last.count + 1 });
  return { tag: `${digest}-${last.count}`, decided: true, tunnels: [...tunnels] };
}

/** It stands in a query, and says nothing of the keys. */
const digestOf = onceEach((tunnels: readonly PlannedTunnel[]) =>
  fingerprint(JSON.stringify(tunnels))
);
