import { join } from "node:path";
import type { Config } from "../../system/config.ts";
import type { Engine } from "../../system/core/engine/engine.ts";
import type { Bus } from "../../system/core/events/bus.ts";
import type { Log } from "../../system/core/log/log.ts";
import type { EventStore } from "../../system/events/store/event_store.ts";
import type { LookupClient } from "../../system/lookup/client.ts";
import { openTraffic, type Traffic, type TrafficOptions } from "../../system/traffic/open.ts";

/** Parts of the management plane that traffic is made of. */
export interface TrafficParts {
  /** Its store is `state/traffic.db` there. */
  readonly home: string;
  readonly engine: Pick<Engine<Config>, "config" | "host">;
  readonly bus: Pick<Bus, "subscribe">;
  readonly eventStore: Pick<EventStore, "ask">;
  readonly lookup: Pick<LookupClient, "lookupMany">;
  readonly log: Log;
}

/** Begins to count what devices send and receive. */
export function trafficOf(
  { home, engine, bus, eventStore, lookup, log }: TrafficParts,
  clocks: Pick<TrafficOptions, "now" | "steady" | "live">,
): Traffic {
  return openTraffic({
    ...clocks,
    engine,
    bus,
    eventStore,
    path: join(home, "state/traffic.db"),
    lookUp: (addresses) => lookup.lookupMany(addresses),
    failed(what, error) {
      if (what === "counters") {
        log.warn("traffic.counters_failed", "The traffic counters could not be read", { error });
      } else {
        log.warn("traffic.not_stored", "Traffic could not be stored yet", { error });
      }
    },
  });
}
