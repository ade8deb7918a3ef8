import type { Config } from "../config.ts";
import { memo } from "../core/config/memo.ts";
import type { ChangeEngine } from "../core/engine/change.ts";
import { type FeedDeps, type Poll, publishFeed } from "../core/ipc/feed.ts";
import { plannedRadios, stationKeys } from "./plan.ts";
import type { WifiPlan } from "./plan_schema.ts";

/** What the plan of wifid follows from. */
export interface WifiFeedDeps extends FeedDeps {
  readonly engine: Pick<ChangeEngine<Config>, "config" | "network">;
  /** Digest of a text; the tag of a plan tells nothing of the passwords in it. */
  readonly digest: (text: string) => string;
}

/** The feed of plans for wifid: no radio where nothing is applied to the machine. */
export function createWifiFeed(deps: WifiFeedDeps): Poll<WifiPlan> {
  const plan = memo((
    radios: Config["radios"],
    interfaces: Config["interfaces"],
    devices: Config["devices"],
    state: string,
  ): WifiPlan => {
    const isApplied = state === "applied" || state === "broken";
    const body = {
      decided: state !== "starting",
      radios: isApplied ? [...plannedRadios({ radios, interfaces })] : [],
      keys: isApplied ? [...stationKeys(devices)] : [],
    };
    return { tag: deps.digest(JSON.stringify(body)), ...body };
  });
  return publishFeed(deps, () => {
    const { config, network } = deps.engine;
    return plan(config.radios, config.interfaces, config.devices, network.state);
  });
}
