import { memo } from "../core/config/memo.ts";
import type { Bus } from "../core/events/bus.ts";
import type { NoticeBoard } from "../core/events/notice.ts";
import { type FeedDeps, type Poll, publishFeed } from "../core/ipc/feed.ts";
import { interfacesDocument } from "../network/interfaces/document.ts";
import { UplinkHealth, type UplinkHealthDeps } from "./health/health.ts";
import { createUplinkLeases, type UplinkLeases } from "./leases.ts";
import type { UplinkPlan } from "./plan_schema.ts";
import { uplinkPlan, type UplinkPlanSources } from "./uplink_plan.ts";
import { SpeedTests } from "./health/speed_tests.ts";
import { UplinkHistory } from "./health/history.ts";

/** Milliseconds between checks of the uplinks. */
const CHECK_INTERVAL_MS = 1000;

/** What the uplinks need from outside. */
export interface WanOptions extends Omit<UplinkHealthDeps, "past"> {
  readonly bus: Pick<Bus, "publish" | "subscribe">;
  readonly notices: NoticeBoard;
  /** Where their past is kept. */
  readonly path: string;
  readonly ending: AbortSignal;
  /** False: time passes only by `health.look`. */
  readonly live: boolean;
}

/** The api's side of the uplinks. */
export interface Wan {
  readonly leases: UplinkLeases;
  readonly health: UplinkHealth;
  readonly past: UplinkHistory;
  readonly speed: SpeedTests;
  /** The feed of plans for uplinkd. */
  readonly plan: Poll<UplinkPlan>;
  close(): Promise<void>;
}

/** Opens the api's side of the uplinks with their stored history. */
export async function openWan(options: WanOptions): Promise<Wan> {
  const { engine, bus, now, path, ending, live } = options;
  const past = await UplinkHistory.open(path, Math.floor(now() / 1000));
  const health = new UplinkHealth({ ...options, past });
  const speed = new SpeedTests({ engine, bus, past, now });
  const leases = createUplinkLeases(options);
  const timer = live ? setInterval(() => void health.look(), CHECK_INTERVAL_MS) : null;
  let settling = leases.settle().catch(options.log);
  const unsubscribe = bus.subscribe(({ topic }) => {
    if (topic === "network:uplinks") void health.look();
    if (topic === interfacesDocument.topic) {
      settling = settling.then(() => leases.settle()).catch(options.log);
    }
  });
  return {
    leases: {
      ...leases,
      async take(report) {
        await leases.take(report);
        await health.look();
      },
    },
    health,
    past,
    speed,
    plan: uplinkFeed({ engine, bus, ending, speed: () => speed.waiting }),
    async close() {
      if (timer !== null) clearInterval(timer);
      unsubscribe();
      await settling;
      await health.look();
      // A disk that takes nothing keeps nothing else from its end.
      await past.flush(Math.floor(now() / 1000), true).catch(options.log);
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
      ...[config.interfaces, config.ppp, config.wan, desired.facts, network.state],
      ...[observed.uplinks, speed()],
    );
  });
}
