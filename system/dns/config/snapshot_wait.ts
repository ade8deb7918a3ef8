import type { Config } from "../../config.ts";
import type { Bus } from "../../core/events/bus.ts";
import { longPoll } from "../../core/ipc/long_poll.ts";
import type { ChangeEngine } from "../../core/engine/change.ts";
import { LAN_LINK } from "../../network/plan.ts";
import { answeredNames } from "../local/local_names.ts";
import { dnsSnapshot } from "./snapshot.ts";
import type { DnsSnapshot } from "./snapshot_schema.ts";

/** What waiting for a snapshot needs from outside. */
export interface SnapshotWaitDeps {
  readonly engine: Pick<ChangeEngine<Config>, "config" | "network" | "desired" | "observed">;
  readonly bus: Pick<Bus, "subscribe">;
  readonly ending: AbortSignal;
  /** Names under which the router answers. */
  readonly names: () => Iterable<string>;
  /** Certificates (PEM) that people trust for an upstream. */
  readonly trusted: () => Promise<readonly string[]>;
}

/** Makes the function that waits until dnsd's snapshot is another than the known one, and answers it. */
export function createDnsSnapshots(
  deps: SnapshotWaitDeps,
): (known: string) => Promise<DnsSnapshot> {
  let snapshot: DnsSnapshot | null = null;
  let made: readonly unknown[] = [];
  let trusted: readonly string[] = [];

  /** The snapshot of now, made anew only when something that it hangs on is another. */
  const current = (): DnsSnapshot => {
    const { config, desired, network, observed } = deps.engine;
    const routerNames = answeredNames(deps.names());
    const now = [
      ...[config.dns, config.hostnames, config.dnsBlock, config.dnsLog, config.devices],
      ...[config.firewall, config.interfaces, desired, network.state, trusted],
      observed.uplinks,
      routerNames.join(),
    ];
    if (snapshot === null || now.some((part, at) => part !== made[at])) {
      const applied = isApplied(deps.engine);
      snapshot = dnsSnapshot(config, { desired, applied, routerNames, trusted, observed });
      made = now;
    }
    return snapshot;
  };

  return async (known) => {
    const read = await deps.trusted();
    if (read.join() !== trusted.join()) trusted = read;
    await longPoll({ ...deps, isOther: () => current().version !== known });
    return current();
  };
}

/**
 * Whether the router has its addresses at home. Null for the model that every start begins with. While
 * the kernel does not follow, at a start among it, what stood there still stands.
 */
function isApplied({ network, desired }: SnapshotWaitDeps["engine"]): boolean | null {
  if (network.state === "model") return null;
  if (network.state !== "broken") return network.state === "applied";
  return desired.addresses.some(({ link }) => link === LAN_LINK) || null;
}
