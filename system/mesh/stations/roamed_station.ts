import type { Config } from "../../config.ts";
import type { RoamedStation } from "../../wifi/stations.ts";
import { leafOf } from "../rules.ts";
import type { ReleaseLimits } from "./release_limits.ts";
import type { LeafRouter } from "../schema.ts";

/** Lets one router forget a station that has roamed; rejects where it cannot be reached. */
export interface Release {
  readonly own: (station: RoamedStation) => Promise<unknown>;
  readonly leaf: (leaf: LeafRouter, station: RoamedStation) => Promise<unknown>;
}

/**
 * The routers of a parent that may still have a station which joined another one: itself where that is a
 * leaf, where the station was before, and leaves that list it, by their addresses. "" stands for this router.
 */
export function formerRouters(
  { to, from }: Pick<RoamedStation, "to" | "from">,
  listing: readonly string[],
): readonly string[] {
  const all = new Set([...(to === "" ? [] : [""]), ...(from === null ? [] : [from]), ...listing]);
  all.delete(to);
  return [...all];
}

/**
 * What lets other routers of a mesh forget a station that has roamed: their access points would keep it for
 * minutes, and report it as theirs whenever their processes start again.
 */
export function releaseStations(deps: {
  readonly config: () => Pick<Config, "mesh">;
  /** Addresses of the leaves that list a station. */
  readonly listing: (mac: string) => readonly string[];
  readonly release: Release;
  readonly limits: Pick<ReleaseLimits, "take">;
  readonly failed: (error: unknown) => void;
}): (station: RoamedStation) => void {
  return (station) => {
    const { mesh } = deps.config();
    if (mesh.LeafMode || mesh.LeafRouters.length === 0) return;
    if (!deps.limits.take(station.by, station.MAC)) return;
    for (const router of formerRouters(station, deps.listing(station.MAC))) {
      const leaf = leafOf(mesh, router);
      if (router === "") void deps.release.own(station).catch(deps.failed);
      // Routers of the existing API have no request for that.
      else if (leaf !== null && leaf.Plain !== true) {
        void deps.release.leaf(leaf, station).catch(deps.failed);
      }
    }
  };
}
