import type { Config } from "../config.ts";
import type { Planner } from "../core/engine/change.ts";
import type { AdminPorts } from "../firewall/admin_ports.ts";
import { tracePacket } from "../firewall/trace/trace.ts";
import { describe } from "./kernel/describe.ts";
import { diff } from "./kernel/diff.ts";
import { drift } from "./kernel/drift.ts";
import { accessChangeSteps } from "./reachability/access_changes.ts";
import { egressLink, firstPacket } from "./reachability/packet.ts";
import { desire, PlanMemo } from "./plan.ts";
import { reconcile } from "./kernel/reconcile.ts";
import { release } from "./kernel/release.ts";
import { uplinkLinks, withTables } from "./routing/uplink_paths.ts";

/**
 * The pure functions that turn Sluice's configuration into a kernel state, for every host, with a memo
 * of the last plan. `adminPorts` are closed to devices that may not administer the router.
 */
export function networkPlanner(adminPorts?: AdminPorts): Planner<Config> {
  const memo = new PlanMemo();
  return {
    desire: (config, observed, facts) => desire(config, observed, facts, memo, adminPorts),
    settle: withTables,
    diff,
    reconcile,
    drift,
    release: (config, facts) =>
      release({ networks: config.dhcp.TinyNets, uplinks: uplinkLinks(config) }, facts),
    trace: (desired, packet) =>
      tracePacket(desired.ruleset, packet, (address) => egressLink(desired, address)),
    firstPacket,
    accessChangeSteps,
    describe,
  };
}
