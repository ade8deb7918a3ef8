import type { Config } from "../config.ts";
import type { Bus } from "../core/events/bus.ts";
import type { ChangeEngine } from "../core/engine/change.ts";
import { longPoll } from "../core/ipc/long_poll.ts";
import { fingerprint } from "../multicast/relay_plan.ts";
import type { Snapshot } from "./ask_schema.ts";
import { keptAddress, leaseAnswer, toldOf } from "./leases/lease_rules.ts";
import { type LeasingLinks, leasingLinks } from "./leasing_links.ts";

/** Milliseconds for which changes of leases are gathered. */
const GATHER = 3000;

/** What snapshots need from outside. */
export interface SnapshotsDeps {
  readonly engine: Pick<ChangeEngine<Config>, "config" | "network" | "observed">;
  readonly bus: Pick<Bus, "subscribe">;
  readonly ending: AbortSignal;
  /** Links on which an admin wants us to serve beside another server. */
  readonly confirmed: () => readonly string[];
}

/** Makes the function that waits until the snapshot is another than the known one, and answers it. */
export function createSnapshots(deps: SnapshotsDeps): (known: string) => Promise<Snapshot> {
  const { engine, bus, ending, confirmed } = deps;
  const run = crypto.randomUUID().slice(0, 8);
  let version = 0;
  let seen: readonly unknown[] = [];

  let links: LeasingLinks = { downlinks: [], stations: [] };
  let linksOf: readonly unknown[] = [];
  const current = (): LeasingLinks => {
    const { config: { interfaces, devices }, observed, network: { state } } = engine;
    // Tags of devices name links of trunks.
    const from = [interfaces, devices, observed.devices, state];
    if (from.some((one, at) => one !== linksOf[at])) links = leasingLinks(engine);
    linksOf = from;
    return links;
  };
  const where = (): string => {
    const { downlinks, stations } = current();
    return `${downlinks.join()} ${fingerprint(stations.join())} ${confirmed().join()}`;
  };
  /** Places and leases as two parts; those who wait for a link do not wait for leases. */
  const tag = (): readonly [string, string] => {
    const { devices, dhcp } = engine.config;
    if (seen[0] !== devices || seen[1] !== dhcp) {
      seen = [devices, dhcp];
      version++;
    }
    return [where(), `${run}-${version}`];
  };

  return async (known) => {
    const started = performance.now();
    const isOther = (): boolean => {
      const [places, leases] = tag();
      if (!known.startsWith(`${places} ${run}-`)) return true;
      return known !== `${places} ${leases}` && performance.now() - started >= GATHER;
    };
    await longPoll({ bus, ending, isOther });
    return snapshot(deps, tag().join(" "), current());
  };
}

function snapshot(
  { engine, confirmed }: SnapshotsDeps,
  tag: string,
  { downlinks, stations }: LeasingLinks,
): Snapshot {
  const { config, observed } = engine;
  const leases = Object.entries(config.devices).flatMap(([identity, device]) => {
    const address = device.MAC === "" ? null : keptAddress(config, device.RecentIP);
    if (address === null) return [];
    return [{
      mac: device.MAC,
      link: observed.devices[identity]?.link ?? null,
      told: toldOf(config, leaseAnswer(config, device.MAC, address), device.Name),
    }];
  });
  return {
    tag,
    links: [...downlinks, ...stations],
    // Behind a station's link is the station alone: no other server needs to be looked for.
    confirmed: [...confirmed(), ...stations],
    leases,
  };
}
