import type { Access } from "../../system/access/open.ts";
import type { ServerCertificate } from "../../system/certificates/server_certificate.ts";
import type { Config } from "../../system/config.ts";
import type { Engine } from "../../system/core/engine/engine.ts";
import type { Bus } from "../../system/core/events/bus.ts";
import type { Log } from "../../system/core/log/log.ts";
import type { Database } from "../../system/core/store/open.ts";
import { createMeshFeed } from "../../system/mesh/feed.ts";
import type { StationPlaces } from "../../system/mesh/leaf_paths.ts";
import { Leaves } from "../../system/mesh/leaves.ts";
import { ParentSync } from "../../system/mesh/parent_sync.ts";
import { releaseStations } from "../../system/mesh/stations/roamed_station.ts";
import { ReleaseLimits } from "../../system/mesh/stations/release_limits.ts";
import { stationForwarding } from "../../system/mesh/stations/station_forwarding.ts";
import { MeshTokens } from "../../system/mesh/tokens.ts";
import type { Notices } from "../../system/notices/board.ts";
import type { Tunnels } from "../../system/wireguard/tunnels/tunnels.ts";
import type { ServiceClient } from "../http/service_client.ts";
import type { MeshSocketDeps } from "../internal/mesh.ts";
import type { StationsDeps } from "../../system/wifi/stations.ts";
import type { MeshParts } from "../mesh/deps.ts";
import { callRouter } from "../mesh/leaf_calls.ts";
import { order } from "../wifi/service_call.ts";

/** What the mesh is put together from. */
export interface OpenMeshOptions {
  readonly engine: Engine<Config>;
  readonly db: Database;
  readonly bus: Bus;
  readonly notices: Notices;
  readonly access: Access;
  readonly certificates: Pick<ServerCertificate, "trustedCertificate">;
  readonly places: StationPlaces;
  readonly tunnels: Pick<Tunnels, "find" | "isOnline">;
  /** The control socket of the process `mesh`. */
  readonly service: ServiceClient;
  /** The control socket of wifid. */
  readonly wifid: ServiceClient;
  readonly version: string;
  readonly log: Log;
  readonly now: () => number;
  /** Monotonic milliseconds. */
  readonly steady: () => number;
  readonly ending: AbortSignal;
  /** Milliseconds until tokens of leaves that could not be replaced are replaced again; default 30 s. */
  readonly tokenRetryMs?: number;
}

/** The mesh at the api. */
export interface OpenedMesh {
  readonly mesh: MeshParts;
  readonly socket: MeshSocketDeps;
  /** What reports of stations lead to at other routers. */
  readonly stationsElsewhere: Pick<StationsDeps, "forward" | "release">;
  stop(): void;
}

/** Opens the mesh: its tokens, its leaf routers, and what the process `mesh` follows. */
export async function openMesh(options: OpenMeshOptions): Promise<OpenedMesh> {
  const { engine, bus, certificates, service, wifid, version, log, steady, tokenRetryMs = 30_000 } =
    options;
  let refreshes = 0, known = addresses();
  const tokens = await MeshTokens.open(options);
  const leaves = new Leaves({ ...options, version: () => `v${version}` });
  const trustedCertificate = () => certificates.trustedCertificate();
  function addresses(): ReadonlySet<string> {
    return new Set(engine.config.mesh.LeafRouters.map(({ IP }) => IP));
  }
  const refresh = (): void => {
    refreshes++;
    // Followers of the plan read it when something is published.
    bus.publish("mesh:sync", {});
  };
  let retry: ReturnType<typeof setTimeout> | undefined, stopped = false;
  const keepTokens = (): void => {
    clearTimeout(retry);
    tokens.keepReports(addresses()).then(
      (changed) => changed && refresh(),
      (error) => {
        if (stopped) return;
        log.error("mesh.token_not_replaced", "The tokens of leaf routers could not be replaced", {
          error,
        });
        clearTimeout(retry);
        retry = setTimeout(keepTokens, tokenRetryMs);
      },
    );
  };
  // However a leaf was removed, by an undo as well.
  const stopLooking = bus.subscribe(() => {
    const before = known;
    known = addresses();
    if (before.size !== known.size || [...before].some((address) => !known.has(address))) {
      keepTokens();
    }
  }, ["mesh"]);
  // Also without leaves: the last one may have been removed just before a stop.
  keepTokens();
  const config = (): Config => engine.config;
  const forward = stationForwarding({
    config,
    send: (body) => order(service, { path: "/report", body }),
    failed: (error) =>
      log.debug("mesh.report_lost", "The parent could not be told of a station", { error }),
  });
  const release = releaseStations({
    config,
    listing: (mac) => leaves.listing(mac),
    release: {
      own: ({ MAC, since }) => {
        const Seconds = Math.floor((steady() - since) / 1000);
        return order(wifid, { path: "/stations/forget", body: { MAC, Seconds } });
      },
      // An earlier version or a router of the existing API would take `stationConnect` for a station of its own.
      leaf: (leaf, { MAC, since }) =>
        callRouter(service, leaf, {
          Method: "PUT",
          Path: "/plugins/mesh/stationRoamed",
          Body: { MAC },
          Age: steady() - since,
        }),
    },
    limits: new ReleaseLimits(steady),
    failed: (error) =>
      log.debug("mesh.station_kept", "A router could not be told that a station left it", {
        error,
      }),
  });
  return {
    mesh: {
      ...{ leaves, tokens, service, trustedCertificate },
      parentSync: new ParentSync(),
      refresh,
    },
    socket: {
      leaves,
      plan: createMeshFeed({
        ...options,
        ...{ meshTokens: tokens, trustedCertificate },
        refreshes: () => refreshes,
      }),
    },
    stationsElsewhere: { forward, release },
    stop() {
      stopped = true;
      clearTimeout(retry);
      stopLooking();
    },
  };
}
