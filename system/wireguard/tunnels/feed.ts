import { type FeedDeps, type Poll, publishFeed } from "../../core/ipc/feed.ts";
import type { TunnelPlan } from "./plan_schema.ts";
import type { Tunnels } from "./tunnels.ts";

/** What {@link createTunnelFeed} needs. */
export interface TunnelFeedDeps extends FeedDeps {
  readonly tunnels: Pick<Tunnels, "plan">;
}

/** The feed of plans for the process `wireguard`. */
export function createTunnelFeed(deps: TunnelFeedDeps): Poll<TunnelPlan> {
  return publishFeed(deps, () => deps.tunnels.plan);
}
