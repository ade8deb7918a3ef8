import { join } from "node:path";
import type { Config } from "../../system/config.ts";
import type { Engine } from "../../system/core/engine/engine.ts";
import type { Bus } from "../../system/core/events/bus.ts";
import type { Log } from "../../system/core/log/log.ts";
import type { EventStore } from "../../system/events/store/event_store.ts";
import type { LookupClient } from "../../system/lookup/client.ts";
import type { AskTrafficStore } from "../../system/traffic/insights/insights.ts";
import { openTraffic, type Traffic, type TrafficOptions } from "../../system/traffic/open.ts";
import { storeKeeper } from "../../system/uplink/health/history_keeper.ts";
import type { HistoryKeeper } from "../../system/uplink/health/history_rows.ts";

/** What the traffic store of a home needs. */
interface StoreParts {
  /** Its file is `state/traffic.db` there. */
  readonly home: string;
  /** Its thread keeps the traffic, too. */
  readonly eventStore: Pick<EventStore, "ask">;
  readonly log: Log;
}

/** Parts of the management plane that traffic is made of. */
export interface TrafficParts extends StoreParts {
  readonly engine: Pick<Engine<Config>, "config" | "host">;
  readonly bus: Pick<Bus, "subscribe">;
  readonly lookup: Pick<LookupClient, "lookupMany">;
}

function asksOf({ home, eventStore }: StoreParts): AskTrafficStore {
  const path = join(home, "state/traffic.db");
  return (request) => eventStore.ask({ type: "traffic", path, request }) as never;
}

/** Begins to count what devices send and receive. */
export function trafficOf(
  parts: TrafficParts,
  clocks: Pick<TrafficOptions, "now" | "steady" | "live">,
): Traffic {
  const { engine, bus, lookup, log } = parts;
  return openTraffic({
    ...clocks,
    engine,
    bus,
    ask: asksOf(parts),
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

/** Keeps the history of uplinks in the same store; begins to read it. */
export function historyKeeperOf(parts: StoreParts): HistoryKeeper {
  return storeKeeper({
    ask: asksOf(parts),
    oldFile: join(parts.home, "state/api/wan.json"),
    failed: (detail) =>
      parts.log.warn("uplink.history_not_moved", "The old history of uplinks was not taken over", {
        detail,
      }),
  });
}
