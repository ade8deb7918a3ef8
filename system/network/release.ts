import type { Facts, IpOp, KernelPlan, KernelStep, RulesetOp } from "../core/kernel/host.ts";
import { homeRanges } from "./places.ts";
import { LAN_LINK } from "./plan.ts";
import { isAtHome, OURS } from "./reconcile.ts";
import { staleWays, standingWays } from "./routing/route_ops.ts";

/** By what it is told what is ours. */
export interface Held {
  /** The home networks, in CIDR form. */
  readonly networks: readonly string[];
  /** Every link to the outside; null where they are not known: then only what is at home goes. */
  readonly uplinks: readonly string[] | null;
}

/**
 * Takes what is ours out of the kernel: our tables, our own link, addresses and permanent neighbours
 * in the home networks, and those that we set on other links than uplinks. Forwarding goes off before our rules do. Links, an uplink's address, its
 * routes and whatever belongs to others stay.
 */
export function release({ networks, uplinks }: Held, facts: Facts): KernelPlan {
  const standing = facts.addresses.filter(({ link }) => link === LAN_LINK);
  // What is still served of former networks is ours as well.
  const ranges = homeRanges([...networks, ...standing.map(({ address }) => address)]);
  const ours = facts.tables.filter((table) => table.comment === OURS);
  const tables = ours.map(({ family, name }): RulesetOp => ({
    op: "delete-table",
    family,
    table: name,
  }));
  const links = new Set(facts.links.map(({ name }) => name));
  const ip: readonly IpOp[] = [
    ...staleWays(standingWays(facts)),
    ...facts.neighbours
      .filter((one) => one.permanent && one.link !== LAN_LINK && isAtHome(ranges, one.address))
      .map((one): IpOp => ({ op: "delete-neighbour", address: one.address, link: one.link })),
    ...facts.addresses
      .filter((one) =>
        one.link !== "lo" && one.link !== LAN_LINK &&
        (isAtHome(ranges, one.address) ||
          (one.ours === true && uplinks?.includes(one.link) === false))
      )
      .map((one): IpOp => ({ op: "delete-address", link: one.link, address: one.address })),
    ...(links.has(LAN_LINK) ? [{ op: "delete-link", name: LAN_LINK } as const] : []),
  ];
  const steps: KernelStep[] = [
    ...(ours.length > 0 && facts.forwarding ? [{ kind: "forwarding", on: false } as const] : []),
    ...(tables.length > 0 ? [{ kind: "ruleset", ops: tables } as const] : []),
    ...(ip.length > 0 ? [{ kind: "ip", ops: ip } as const] : []),
  ];
  return { steps, recheck: [] };
}
