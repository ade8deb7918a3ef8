import type { Config } from "../../config.ts";
import type { ChangeEngine } from "../../core/engine/change.ts";
import { type FeedDeps, type Poll, publishFeed } from "../../core/ipc/feed.ts";
import { tunnelPlan } from "./tunnel_plan.ts";
import type { TunnelPlan } from "./plan_schema.ts";

/** What {@link createTunnelFeed} needs. */
export interface TunnelFeedDeps extends FeedDeps {
  readonly engine: Pick<ChangeEngine<Config>, "config" | "network">;
}

/** The feed of plans for the process `wireguard`. */
export function createTunnelFeed(deps: TunnelFeedDeps): Poll<TunnelPlan> {
  return publishFeed(deps, () => tunnelPlan(deps.engine));
}
