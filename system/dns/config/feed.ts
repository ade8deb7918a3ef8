import type { Config } from "../../config.ts";
import { memo } from "../../core/config/memo.ts";
import { type FeedDeps, type Poll, publishFeed } from "../../core/ipc/feed.ts";
import type { ChangeEngine } from "../../core/engine/change.ts";
import { LAN_LINK } from "../../network/plan.ts";
import { unicastNames } from "../local/local_names.ts";
import { dnsSnapshot } from "./snapshot.ts";
import type { DnsSnapshot } from "./snapshot_schema.ts";

/** What the feed of snapshots needs from outside. */
export interface DnsFeedDeps extends FeedDeps {
  readonly engine: Pick<ChangeEngine<Config>, "config" | "network" | "desired" | "observed">;
  /** Names under which the router answers. */
  readonly names: () => Iterable<string>;
  /** Certificates (PEM) that people trust for an upstream. */
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
 * Whether the router has its LAN addresses. Null for the model that every start begins with. While
 * the kernel does not follow, at a start among it, what stood there still stands.
 */
function isApplied({ network, desired }: DnsFeedDeps["engine"]): boolean | null {
  if (network.state === "model") return null;
  if (network.state !== "broken") return network.state === "applied";
  return desired.addresses.some(({ link }) => link === LAN_LINK) || null;
}
