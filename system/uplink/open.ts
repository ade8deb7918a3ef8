import { memo } from "../core/config/memo.ts";
import type { Bus } from "../core/events/bus.ts";
import type { NoticeBoard } from "../core/events/notice.ts";
import { type FeedDeps, type Poll, publishFeed } from "../core/ipc/feed.ts";
import { uplinkSettingsDocument } from "./settings_document.ts";
import { interfacesDocument } from "../network/interfaces/document.ts";
import { UplinkHealth, type UplinkHealthDeps } from "./health/health.ts";
import { createUplinkLeases, type UplinkLeases } from "./leases.ts";
import type { UplinkPlan } from "./plan_schema.ts";
import { uplinkPlan, type UplinkPlanSources } from "./uplink_plan.ts";
import { SpeedTests } from "./health/speed_tests.ts";
import { portalChecks } from "../wifi/supplicant/plan.ts";
import { wpaDocument } from "../wifi/supplicant/document.ts";
import { Portals } from "./health/portals.ts";
import type { HistoryKeeper } from "./health/history_rows.ts";
import { UplinkHistory } from "./health/history.ts";

/** Milliseconds between checks of the uplinks. */
const CHECK_INTERVAL_MS = 1000;

/** Dependencies of {@link openUplinks}. */
export interface UplinksOptions extends Omit<UplinkHealthDeps, "history"> {
  readonly bus: Pick<Bus, "publish" | "subscribe">;
  readonly notices: NoticeBoard;
  /** Keeps their history. */
  readonly keeper: HistoryKeeper;
  readonly ending: AbortSignal;
  /** False: checks only run when `health.check` is called. */
  readonly live: boolean;
}

/** The api's side of the uplinks. */
export interface Uplinks {
  readonly leases: UplinkLeases;
  readonly health: UplinkHealth;
  readonly history: UplinkHistory;
  readonly speed: SpeedTests;
  /** Captive portals. */
  readonly portals: Portals;
  /** The feed of plans for uplinkd. */
  readonly plan: Poll<UplinkPlan>;
  close(): Promise<void>;
}

/** Opens the api's side of the uplinks with their stored history. */
export async function openUplinks(options: UplinksOptions): Promise<Uplinks> {
  const { engine, bus, now, keeper, ending, live } = options;
  const history = await UplinkHistory.open(keeper, Math.floor(now() / 1000));
  const health = new UplinkHealth({ ...options, history });
  const speed = new SpeedTests({ engine, bus, history, now });
  const leases = createUplinkLeases(options);
  const portals = new Portals({
    bus,
    notices: options.notices,
    isChecked: (name) => portalChecks(engine.config).has(name),
  });
  const timer = live ? setInterval(() => void health.check(), CHECK_INTERVAL_MS) : null;
  let settling = leases.settle().catch(options.log);
  const subscriptions = [
    bus.subscribe(() => void health.check(), ["network:uplinks"]),
    bus.subscribe(() => settling = settling.then(() => leases.settle()).catch(options.log), [
      interfacesDocument.topic,
      uplinkSettingsDocument.topic,
    ]),
    bus.subscribe(() => settling = settling.then(() => portals.settle()).catch(options.log), [
      interfacesDocument.topic,
      wpaDocument.topic,
    ]),
  ];
  return {
    leases: {
      ...leases,
      async take(report) {
        await leases.take(report);
        await health.check();
      },
    },
    health,
    history,
    speed,
    portals,
    plan: uplinkFeed({ engine, bus, ending, speed: () => speed.requested }),
    async close() {
      if (timer !== null) clearInterval(timer);
      for (const unsubscribe of subscriptions) unsubscribe();
      await settling;
      await health.check();
      // A full disk must not keep the rest from closing.
      await history.flush(Math.floor(now() / 1000), true).catch(options.log);
    },
  };
}

interface UplinkFeedDeps extends FeedDeps {
  readonly engine: UplinkPlanSources["engine"];
  readonly speed: () => UplinkPlanSources["speed"];
}

function uplinkFeed({ engine, speed, ...deps }: UplinkFeedDeps): Poll<UplinkPlan> {
  const plan = memo((..._inputs: readonly unknown[]) => uplinkPlan({ engine, speed: speed() }));
  return publishFeed(deps, () => {
    const { config, desired, network, observed } = engine;
    return plan(
      ...[config.interfaces, config.ppp, config.wpa, config.wan, desired.facts, network.state],
      ...[observed.uplinks, speed()],
    );
  });
}
