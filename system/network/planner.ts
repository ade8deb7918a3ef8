import type { Config } from "../config.ts";
import type { Observations, Planner } from "../core/engine/change.ts";
import { withClosedGroups } from "../devices/groups/group_schedule.ts";
import type { AdminPorts } from "../firewall/admin_ports.ts";
import { tracePacket } from "../firewall/trace/trace.ts";
import { describe } from "./kernel/describe.ts";
import { diff } from "./kernel/diff.ts";
import { drift } from "./kernel/drift.ts";
import { accessChangeSteps } from "./reachability/access_changes.ts";
import { egressLink, firstPacket } from "./reachability/packet.ts";
import { desire, desireSteps, PlanMemo } from "./plan.ts";
import { reconcile } from "./kernel/reconcile.ts";
import { release } from "./kernel/release.ts";
import { shares } from "./kernel/shares.ts";
import { withPlannedPeers } from "../wireguard/tunnels/revoked.ts";
import { uplinkLinks, withTables } from "./routing/uplink_paths.ts";

/** Options of {@link networkPlanner}. */
export interface NetworkPlannerOptions {
  /** Closed to devices that may not administer the router. */
  readonly adminPorts?: AdminPorts | undefined;
  /** The process `wireguard` runs, and reports when a tunnel has what was planned. Default: false. */
  readonly hasTunnels?: boolean | undefined;
  /**
   * The times that it may be, unix milliseconds, for the schedules of groups; without them these are
   * always open.
   */
  readonly scheduleTimes?: (() => readonly number[]) | undefined;
}

/**
 * The pure functions that turn Sluice's configuration into a kernel state, for every host, with a memo
 * of the last plan.
 */
export function networkPlanner(
  { adminPorts, hasTunnels = false, scheduleTimes }: NetworkPlannerOptions = {},
): Planner<Config> {
  const memo = new PlanMemo();
  return {
    desire: (config, observed, facts) => desire(config, observed, facts, memo, adminPorts),
    desireSteps: (config, observed, facts) =>
      desireSteps(config, observed, facts, memo, adminPorts),
    timed: (config, observed) =>
      scheduleTimes === undefined || !hasSchedules(config, observed)
        ? observed
        : withClosedGroups(config, observed, scheduleTimes()),
    settle: (config, observed) => {
      const placed = withTables(config, observed);
      return hasTunnels ? withPlannedPeers(config, placed) : placed;
    },
    diff,
    shares,
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

/** True where the clock has a say: a group has a schedule, or one was closed until now. */
function hasSchedules({ groups }: Config, { closedGroups }: Observations): boolean {
  return closedGroups !== undefined || groups.some(({ Schedule }) => Schedule !== undefined);
}
