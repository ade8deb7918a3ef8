import type { Config } from "../../system/config.ts";
import type { Engine } from "../../system/core/engine/engine.ts";
import type { GeoBlocking } from "../../system/geo/geo_blocking.ts";
import type { LookupClient } from "../../system/lookup/client.ts";
import type { RecentTraffic } from "../../system/geo/effects.ts";
import type { Traffic } from "../../system/traffic/open.ts";
import type { UseRecord } from "../../system/firewall/counters/use_record.ts";

/** What the routes of the firewall need from outside. */
export interface FirewallDeps {
  readonly engine: Pick<Engine<Config>, "config" | "desired">;
  /** When rules were used. */
  readonly uses: Pick<UseRecord, "sample">;
  /** Blocking by country and network. */
  readonly geo: Pick<GeoBlocking, "follow" | "refresh" | "status">;
  readonly lookup: Pick<LookupClient, "lookupMany" | "networkName">;
  readonly traffic: {
    readonly insights: Pick<Traffic["insights"], "overview">;
    readonly counters: Pick<Traffic["counters"], "readFlows">;
  };
  /** What previews know of traffic. */
  readonly recentTraffic: RecentTraffic;
}

/** What all routes of the firewall have in common. */
export const FIREWALL = { tag: "Firewall", access: "auth", document: "firewall" } as const;
