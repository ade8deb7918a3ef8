import type { Config } from "../config.ts";
import type { ChangeEngine } from "../core/engine/change.ts";
import { hasMeshLinks, meshNetwork } from "../mesh/network.ts";
import { trunkLinks } from "../network/interfaces/vlan_links.ts";

/** Interfaces on which addresses are leased. */
export interface LeasingInterfaces {
  /** False where nothing is applied, or not yet. */
  readonly decided: boolean;
  readonly lan: readonly string[];
  /** Interfaces of one Wi-Fi station each, named after their access point: `wlan0.4096`. */
  readonly stations: readonly string[];
  /** The access points of those. */
  readonly points: readonly string[];
}

const NONE: LeasingInterfaces = { decided: false, lan: [], stations: [], points: [] };

/**
 * Interfaces on which addresses are leased now: none where nothing is applied. A station's interface
 * is named from its first report on, whether or not the station is online: one that sleeps through its
 * lease must be served when it wakes.
 */
export function leasingInterfaces(
  engine: Pick<ChangeEngine<Config>, "config" | "network" | "observed" | "desired">,
): LeasingInterfaces {
  const { state } = engine.network;
  // While the kernel cannot be changed, clients keep the address they have.
  if (state !== "applied" && state !== "broken") return NONE;
  const config = meshNetwork(engine.config, hasMeshLinks(engine));
  const named = (type: string): string[] =>
    config.interfaces
      .filter(({ Type, Enabled }) => Type === type && Enabled).map(({ Name }) => Name).sort();
  const points = named("AP");
  const seen = points.length === 0 ? [] : Object.values(engine.observed.devices);
  const stations = new Set(
    seen.flatMap(({ link }) =>
      link !== null && points.some((point) => link.startsWith(`${point}.`)) ? [link] : []
    ),
  );
  const tagged = trunkLinks(config).map(({ name }) => name);
  const lan = [...named("Downlink"), ...tagged].sort();
  return { decided: true, lan, stations: [...stations].sort(), points };
}
