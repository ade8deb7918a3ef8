import type { Facts } from "../../core/kernel/facts.ts";
import type { IpOp, KernelPlan, KernelStep, RulesetOp } from "../../core/kernel/plan.ts";
import { lanRanges } from "../device_links.ts";
import { LAN_LINK } from "../plan.ts";
import { isMeshLink } from "../../mesh/network.ts";
import { isOnLan, OUR_COMMENT } from "./reconcile.ts";
import { currentPolicyRouting, stalePolicyRouting } from "../routing/route_ops.ts";

/** What identifies addresses as ours. */
export interface ReleaseScope {
  /** The LAN subnets, in CIDR form. */
  readonly networks: readonly string[];
  /** Every uplink; null where unknown: then only LAN addresses are removed. */
  readonly uplinks: readonly string[] | null;
}

/**
 * Removes what is ours from the kernel: our tables, our own link, addresses and permanent neighbours
 * in the LAN subnets, and those that we set on other links than uplinks. Forwarding is switched off
 * before our rules are removed. Links, an uplink's address and routes, and other software's state stay.
 */
export function release({ networks, uplinks }: ReleaseScope, facts: Facts): KernelPlan {
  const standing = facts.addresses.filter(({ link }) => link === LAN_LINK);
  // Previous LAN subnets that are still served are ours as well.
  const ranges = lanRanges([...networks, ...standing.map(({ address }) => address)]);
  const ours = facts.tables.filter((table) => table.comment === OUR_COMMENT);
  const tables = ours.map(({ family, name }): RulesetOp => ({
    op: "delete-table",
    family,
    table: name,
  }));
  const links = new Set(facts.links.map(({ name }) => name));
  const ip: readonly IpOp[] = [
    ...stalePolicyRouting(currentPolicyRouting(facts)),
    ...facts.neighbours
      .filter((one) => one.permanent && one.link !== LAN_LINK && isOnLan(ranges, one.address))
      .map((one): IpOp => ({ op: "delete-neighbour", address: one.address, link: one.link })),
    ...facts.addresses
      .filter((one) =>
        one.link !== "lo" && one.link !== LAN_LINK &&
        (isOnLan(ranges, one.address) ||
          (one.ours === true && uplinks?.includes(one.link) === false))
      )
      .map((one): IpOp => ({ op: "delete-address", link: one.link, address: one.address })),
    ...facts.links.filter(isMeshLink)
      .map(({ name }): IpOp => ({ op: "delete-link", name })),
    ...(links.has(LAN_LINK) ? [{ op: "delete-link", name: LAN_LINK } as const] : []),
  ];
  const steps: KernelStep[] = [
    ...(ours.length > 0 && facts.forwarding ? [{ kind: "forwarding", on: false } as const] : []),
    ...(tables.length > 0 ? [{ kind: "ruleset", ops: tables } as const] : []),
    ...(ip.length > 0 ? [{ kind: "ip", ops: ip } as const] : []),
  ];
  return { steps, recheck: [] };
}
