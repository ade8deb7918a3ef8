import type { Config } from "../../config.ts";
import { memo } from "../../core/config/memo.ts";
import { type FeedDeps, type Poll, publishFeed } from "../../core/ipc/feed.ts";
import type { ChangeEngine } from "../../core/engine/change.ts";
import { LAN_LINK } from "../../network/plan.ts";
import { unicastNames } from "../local/local_names.ts";
import { dnsSnapshot } from "./snapshot.ts";
import type { DnsSnapshot } from "./snapshot_schema.ts";

/** Dependencies of the feed of snapshots. */
export interface DnsFeedDeps extends FeedDeps {
  readonly engine: Pick<ChangeEngine<Config>, "config" | "network" | "desired" | "observed">;
  /** Names under which the router answers. */
  readonly names: () => Iterable<string>;
  /** Additional CA certificates (PEM) for upstream resolvers. */
  readonly trusted: () => Promise<readonly string[]>;
}

/** The feed of snapshots for dnsd. */
export function createDnsFeed(deps: DnsFeedDeps): Poll<DnsSnapshot> {
  let trusted: readonly string[] = [];
  const snapshot = memo((routerNames: string, ..._inputs: readonly unknown[]) => {
    const { config, desired, observed } = deps.engine;
    const applied = isApplied(deps.engine);
    const names = routerNames === "" ? [] : routerNames.split(",");
    return dnsSnapshot(config, { desired, applied, routerNames: names, trusted, observed });
  });
  const poll = publishFeed(deps, () => {
    const { config, desired, network, observed } = deps.engine;
    return snapshot(
      unicastNames(deps.names()).join(),
      ...[config.dns, config.hostnames, config.dnsBlock, config.dnsLog, config.devices],
      ...[config.firewall, config.interfaces, desired, network.state, trusted],
      observed.uplinks,
    );
  });
  return async (known) => {
    const read = await deps.trusted();
    if (read.join() !== trusted.join()) trusted = read;
    return await poll(known);
  };
}

/**
 * Whether the router has its LAN addresses; null while that is unknown, as with the model that every
 * start begins with. A kernel that refuses a change keeps the addresses that it had.
 */
function isApplied({ network, desired }: DnsFeedDeps["engine"]): boolean | null {
  if (network.state === "model") return null;
  if (network.state !== "broken") return network.state === "applied";
  return desired.addresses.some(({ link }) => link === LAN_LINK) || null;
}
