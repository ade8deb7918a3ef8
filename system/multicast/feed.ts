import { memo, sameWhere } from "../core/config/memo.ts";
import { type FeedDeps, type Poll, publishFeed } from "../core/ipc/feed.ts";
import { relayPlan, relaysAlike, type RelaySources } from "./relay_plan.ts";
import type { RelayPlan } from "./schema.ts";

const relayedDevices = sameWhere(relaysAlike);

/** The feed of relay plans for multicastd. */
export function createRelayFeed(deps: RelaySources & FeedDeps): Poll<RelayPlan> {
  const plan = memo((..._inputs: readonly unknown[]) => relayPlan(deps));
  return publishFeed(deps, () => {
    const { config, desired, network } = deps.engine;
    return plan(
      ...[config.multicast, config.hostName, relayedDevices(config.devices), config.interfaces],
      ...[desired.neighbours, desired.addresses, network.state],
    );
  });
}
