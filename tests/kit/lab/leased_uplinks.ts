import type { Config } from "../../../system/config.ts";
import type { Observations, UplinkObservation } from "../../../system/core/engine/change.ts";
import type { Facts } from "../../../system/core/kernel/facts.ts";
import { renderLoad } from "../../../system/core/kernel/nft/text.ts";
import { DEFAULT_UPLINK_SETTINGS } from "../../../system/uplink/schema.ts";
import { networkPlanner } from "../../../system/network/planner.ts";
import { kernel, link, network } from "../builders/small_network.ts";

const planner = networkPlanner();

/** What the first uplink, eth0, is set to. */
export const FIRST = { DisableDHCP: true, IP: "203.0.113.2/24", Router: "203.0.113.1" };

/** A lease of 1400 bytes a packet, as it was observed. */
export function lease(address: string, router: string | null, down = false): UplinkObservation {
  return { lease: { address, router, dns: [], mtu: 1400, until: null }, down };
}

/** What the second uplink, eth2, was leased. */
export const LEASED = { eth2: lease("100.64.5.9/24", "100.64.5.1") };

/** What was observed. */
export function seen(uplinks: Readonly<Record<string, UplinkObservation>> = LEASED): Observations {
  return { devices: {}, uplinks };
}

/** A router that balances connections over both uplinks. */
export function two(changes: Partial<Config> = {}): Config {
  return network({}, {
    interfaces: [link("eth0", "Uplink", FIRST), link("eth2", "Uplink"), link("eth1", "Downlink")],
    wan: { ...DEFAULT_UPLINK_SETTINGS, Balance: "pair" },
    ...changes,
  });
}

/** Its links. */
export const LINKS = ["lo", "eth0", "eth1", "eth2"];

/** Its kernel. */
export function facts(
  changes: (name: string) => Partial<Facts["links"][number]> = () => ({}),
): Facts {
  const all = kernel(LINKS);
  return { ...all, links: all.links.map((one) => ({ ...one, ...changes(one.name) })) };
}

/** The rules that mark connections, one a line. */
export function rulesOf(config: Config, observed = seen(), from = facts()): readonly string[] {
  return renderLoad(planner.desire(config, observed, from).ruleset).split("\n")
    .filter((line) => / ct mark set /.test(line)).map((line) => line.trim());
}
