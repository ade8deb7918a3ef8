import type { Config } from "../config.ts";
import type { ChangeEngine } from "../core/engine/change.ts";
import { trunkLinks } from "../network/links/vlan_links.ts";

/** Where addresses are to be leased. */
export interface LeasingLinks {
  readonly downlinks: readonly string[];
  /** Links of one Wi-Fi station each, named after their access point: `wlan0.4096`. */
  readonly stations: readonly string[];
}

const NONE: LeasingLinks = { downlinks: [], stations: [] };

/**
 * Links on which addresses are to be leased now: none where nothing is to be applied. A station's link is
 * named from its first report on, whether or not the station is there now: one that sleeps through
 * its lease must be heard when it wakes.
 */
export function leasingLinks(
  engine: Pick<ChangeEngine<Config>, "config" | "network" | "observed">,
): LeasingLinks {
  const { state } = engine.network;
  // While the kernel does not follow, those who have an address keep it.
  if (state !== "applied" && state !== "broken") return NONE;
  const named = (type: string): string[] =>
    engine.config.interfaces
      .filter(({ Type, Enabled }) => Type === type && Enabled).map(({ Name }) => Name).sort();
  const points = named("AP");
  const seen = points.length === 0 ? [] : Object.values(engine.observed.devices);
  const stations = new Set(
    seen.flatMap(({ link }) =>
      link !== null && points.some((point) => link.startsWith(`${point}.`)) ? [link] : []
    ),
  );
  const tagged = trunkLinks(engine.config).map(({ name }) => name);
  return { downlinks: [...named("Downlink"), ...tagged].sort(), stations: [...stations].sort() };
}
