import { join } from "node:path";
import type { Config } from "../../system/config.ts";
import type { Engine } from "../../system/core/engine/engine.ts";
import { GeoBlocking, type GeoBlockingDeps } from "../../system/geo/geo_blocking.ts";
import { type ServiceClient, succeeded } from "../http/service_client.ts";

/** Bytes of a list, and milliseconds within which it is downloaded. */
const MAX_LIST_BYTES = 32 << 20;
const DOWNLOAD_TIMEOUT_MS = 600_000;
/** Milliseconds within which the lookup service has the prefixes. */
const RANGES_TIMEOUT_MS = 60_000;

/** What blocking by country and network needs of the router. */
export interface OpenGeoBlocking
  extends Pick<GeoBlockingDeps, "bus" | "blocked" | "log" | "now" | "live"> {
  readonly home: string;
  readonly engine: Engine<Config>;
  readonly services: {
    /** It downloads. */
    readonly resolver: ServiceClient;
    readonly lookupTables: ServiceClient;
  };
}

/** Opens blocking by country and network: the resolver downloads, the lookup service has the ranges. */
export function openGeoBlocking(
  { home, engine, services: { resolver, lookupTables }, ...rest }: OpenGeoBlocking,
): Promise<GeoBlocking> {
  return GeoBlocking.open({
    ...rest,
    path: join(home, "state/api/geo_block.json"),
    config: () => engine.config.geoBlock,
    host: () => engine.host,
    isApplied: () => ["applied", "model"].includes(engine.network.state),
    async ranges(wish) {
      const path = "/blocked/ranges";
      const timeoutMs = RANGES_TIMEOUT_MS;
      const response = await lookupTables.call({ method: "PUT", path, body: wish, timeoutMs });
      return await (await succeeded(response)).bytes();
    },
    async fetchList(uri, id) {
      const file = await succeeded(
        await resolver.call({
          method: "PUT",
          path: "/download",
          body: { uri, maxBytes: MAX_LIST_BYTES },
          timeoutMs: DOWNLOAD_TIMEOUT_MS,
        }),
      );
      const kept = await succeeded(
        await lookupTables.call({
          method: "PUT",
          path: `/blocked/lists/${id}`,
          content: file.body ?? "",
          timeoutMs: DOWNLOAD_TIMEOUT_MS,
        }),
      );
      return await kept.json();
    },
  });
}
