import type { Config } from "../config.ts";
import type { Bus } from "../core/events/bus.ts";
import type { ChangeEngine } from "../core/engine/change.ts";
import type { Host } from "../core/kernel/host.ts";
import { TrafficCounters } from "./counters/traffic_counters.ts";
import { DestinationNames } from "./destination_names.ts";
import { insightsDocument } from "./document.ts";
import { type AskTrafficStore, Insights, type LookUpNetworks } from "./insights/insights.ts";
import { PairTotals } from "./pair_totals.ts";

/** What {@link openTraffic} needs from outside. */
export interface TrafficOptions {
  readonly engine: Pick<ChangeEngine<Config>, "config"> & {
    readonly host: Pick<Host, "traffic" | "liveFlows">;
  };
  readonly bus: Pick<Bus, "subscribe">;
  readonly ask: AskTrafficStore;
  readonly lookUp: LookUpNetworks;
  /** Unix milliseconds, by the trusted clock. */
  readonly now: () => number;
  /** Monotonic milliseconds. */
  readonly steady: () => number;
  /** Called with readings of the kernel that failed, and with requests of the store that did. */
  readonly failed: (what: "counters" | "insights", error: unknown) => void;
  /** False: it is read only on request. */
  readonly live: boolean;
}

/** What devices send and receive, and with whom. */
export interface Traffic {
  readonly counters: TrafficCounters;
  readonly insights: Insights;
  readonly pairs: PairTotals;
  readonly names: DestinationNames;
  readonly lookUp: LookUpNetworks;
  close(): Promise<void>;
}

/** Networks and addresses of containers and other machines behind custom interfaces. */
export function containerNetworks({ firewall }: Pick<Config, "firewall">): readonly string[] {
  const rules = firewall.CustomInterfaceRules.filter(({ Disabled, SrcIP }) =>
    !Disabled && !SrcIP.endsWith("/0")
  );
  return [...new Set(rules.map(({ SrcIP }) => SrcIP))];
}

/** Begins to count. */
export function openTraffic(options: TrafficOptions): Traffic {
  const { engine, bus, ask, lookUp, now, steady, failed, live } = options;
  const names = new DestinationNames(bus);
  const pairs = new PairTotals();
  const insights = new Insights({
    ask,
    lookUp,
    nameOf: (device, address) => names.nameOf(device, address),
    settings: () => engine.config.insights,
    networks: () => engine.config.dhcp.TinyNets,
    containers: () => containerNetworks(engine.config),
    now,
    steady,
    failed: (error) => failed("insights", error),
  });
  const counters = new TrafficCounters({
    host: () => engine.host,
    steady,
    failed: (error) => failed("counters", error),
    live,
    flows: {
      acknowledged: () => insights.acknowledged(),
      async take(batch) {
        if (await insights.take(batch)) pairs.take(batch.pairs, steady());
      },
    },
  });
  const unsubscribe = bus.subscribe(() => insights.changed(), [insightsDocument.topic]);
  return {
    counters,
    insights,
    pairs,
    names,
    lookUp,
    async close() {
      unsubscribe();
      names.close();
      await counters.close();
      await insights.close();
    },
  };
}
