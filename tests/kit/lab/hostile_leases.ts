import fc from "fast-check";
import type { Config } from "../../../system/config.ts";
import type { Observations, UplinkLease } from "../../../system/core/engine/change.ts";
import type { Host } from "../../../system/core/kernel/host.ts";
import type { IpOp, KernelPlan } from "../../../system/core/kernel/plan.ts";
import { networkPlanner } from "../../../system/network/planner.ts";
import { link, network } from "../builders/small_network.ts";

const planner = networkPlanner();

const ADDRESSES = [
  ...["100.64.5.9/24", "100.64.5.9/32", "100.64.5.8/31", "100.64.5.10/30", "203.0.113.2/24"],
  ...["203.0.113.9/25", "10.128.0.7/32"],
];
const GATEWAYS = [
  ...["100.64.5.1", "100.64.5.9", "100.64.5.0", "100.64.5.255", "100.64.5.11", "203.0.113.1"],
  ...["203.0.113.2", "203.0.113.127", "192.168.2.1", "127.0.0.1", "224.0.0.1", "10.128.0.1"],
];
const NETWORKS = [
  ...["172.16.0.0/12", "10.128.0.1/32", "127.0.0.0/8", "224.0.0.0/8", "255.255.255.255/32"],
  ...["203.0.113.0/25", "192.168.0.0/16", "0.0.0.0/8", "100.64.5.128/25", "198.51.0.0/16"],
];

const anyRoute = fc.record({
  destination: fc.constantFrom(...NETWORKS),
  via: fc.option(fc.constantFrom(...GATEWAYS)),
});
const anyLease: fc.Arbitrary<UplinkLease> = fc.record({
  address: fc.constantFrom(...ADDRESSES),
  router: fc.option(fc.constantFrom(...GATEWAYS), { freq: 8 }),
  dns: fc.constant([]),
  routes: fc.array(anyRoute, { maxLength: 4 }),
  mtu: fc.constant(null),
  until: fc.constant(null),
});
const anyEnd = fc.record({
  lease: fc.option(anyLease, { freq: 8 }),
  /** A fixed address as a file may hold it, with further ones. */
  fixed: fc.option(fc.tuple(fc.constantFrom(...ADDRESSES), fc.constantFrom(...GATEWAYS))),
  further: fc.array(fc.tuple(fc.constantFrom(...ADDRESSES), fc.constantFrom("", ...GATEWAYS)), {
    maxLength: 2,
  }),
});

/** What two uplinks were given by an attacker, or by people who edit files. */
export interface HostileState {
  readonly config: Config;
  readonly observed: Observations;
}

/** Two uplinks of these names, and all that may be wrong with their addresses and gateways. */
export function anyHostileState(names: readonly [string, string]): fc.Arbitrary<HostileState> {
  return fc.tuple(anyEnd, anyEnd).map((ends) => ({
    config: network({}, {
      interfaces: ends.map(({ fixed, further }, at) =>
        link(names[at]!, "Uplink", {
          ...(fixed === null ? {} : { DisableDHCP: true, IP: fixed[0], Router: fixed[1] }),
          // Rules and documents let no link have one address twice.
          AdditionalIPs: further.filter(([IP], index) =>
            further.findIndex(([other]) => other === IP) === index && fixed?.[0] !== IP &&
            ends[at]!.lease?.address !== IP
          ).map(([IP, Router]) => ({ IP, Router })),
        })
      ),
    }),
    observed: {
      devices: {},
      uplinks: Object.fromEntries(
        ends.map(({ lease }, at) => [names[at]!, { lease, down: false }]),
      ),
    },
  }));
}

/** Carries out what a plan does to links, addresses and routes. */
async function takeIp(host: Host, { steps }: KernelPlan): Promise<void> {
  for (const step of steps) if (step.kind === "ip") await host.apply(step);
}

/**
 * Brings a kernel from its state to one and on to another; answers what still differs then. Throws
 * where the kernel refuses a step.
 */
export async function carry(
  host: Host,
  [begin, end]: readonly [HostileState, HostileState],
): Promise<readonly IpOp[]> {
  const at = await host.facts();
  const first = planner.desire(begin.config, begin.observed, at);
  await takeIp(host, planner.reconcile(first, at));
  const then = await host.facts();
  const again = planner.desire(begin.config, begin.observed, then);
  await takeIp(host, planner.diff(first, again));
  const last = planner.desire(end.config, end.observed, then);
  await takeIp(host, planner.diff(again, last));
  const read = await host.facts();
  const settled = planner.desire(end.config, end.observed, read);
  await takeIp(host, planner.diff(last, settled));
  return planner.reconcile(settled, await host.facts()).steps
    .flatMap((step): readonly IpOp[] => step.kind === "ip" ? step.ops : [])
    .filter(({ op }) => op !== "set-loose-rp-filter");
}
