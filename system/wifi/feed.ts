import { sha256 } from "../access/digest.ts";
import type { Config } from "../config.ts";
import { memo, sameWhere } from "../core/config/memo.ts";
import type { ChangeEngine } from "../core/engine/change.ts";
import { type FeedDeps, type Poll, publishFeed } from "../core/ipc/feed.ts";
import { hasPlan } from "../network/has_plan.ts";
import { plannedSupplicants } from "./supplicant/plan.ts";
import { joinsAlike, plannedRadios, stationKeys } from "./plan.ts";
import type { WifiPlan } from "./plan_schema.ts";

/** What the plan of wifid follows from. */
export interface WifiFeedDeps extends FeedDeps {
  readonly engine: Pick<ChangeEngine<Config>, "config" | "network">;
  /** Hardware MAC addresses of the interfaces that settings are for. */
  readonly known: () => ReadonlyMap<string, string>;
}

const joiningDevices = sameWhere(joinsAlike);

/** The feed of plans for wifid: no radio where nothing is applied to the machine. */
export function createWifiFeed(deps: WifiFeedDeps): Poll<WifiPlan> {
  const plan = memo((
    radios: Config["radios"],
    interfaces: Config["interfaces"],
    devices: Config["devices"],
    roaming: Config["roaming"],
    wpa: Config["wpa"],
    known: ReadonlyMap<string, string>,
    isApplied: boolean,
    decided: boolean,
  ): WifiPlan => {
    const body = {
      decided,
      radios: isApplied ? [...plannedRadios({ radios, interfaces })] : [],
      keys: isApplied ? [...stationKeys(devices)] : [],
      supplicants: isApplied ? [...plannedSupplicants({ radios, interfaces, wpa })] : [],
      roaming,
      hardware: Object.fromEntries(known),
    };
    return { tag: sha256(JSON.stringify(body)), ...body };
  });
  return publishFeed(deps, () => {
    const { config, network } = deps.engine;
    return plan(
      config.radios,
      config.interfaces,
      joiningDevices(config.devices),
      config.roaming,
      config.wpa,
      deps.known(),
      network.state === "applied",
      hasPlan(network),
    );
  });
}
