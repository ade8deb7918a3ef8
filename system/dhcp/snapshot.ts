import type { Config } from "../config.ts";
import type { Bus } from "../core/events/bus.ts";
import type { ChangeEngine } from "../core/engine/change.ts";
import { longPoll } from "../core/ipc/long_poll.ts";
import { fingerprint } from "../multicast/relay_plan.ts";
import type { Snapshot } from "./api_schema.ts";
import { dhcpAnswer, leaseDecision, validAddress } from "./leases/lease_rules.ts";
import { type LeasingLinks, leasingLinks } from "./leasing_links.ts";

/** Milliseconds over which changes of leases are coalesced. */
const COALESCE_DELAY_MS = 3000;

/** What snapshots need from outside. */
export interface SnapshotsDeps {
  readonly engine: Pick<ChangeEngine<Config>, "config" | "network" | "observed">;
  readonly bus: Pick<Bus, "subscribe">;
  readonly ending: AbortSignal;
  /** Links that an admin confirmed for DHCP beside another server. */
  readonly serveAnyway: () => readonly string[];
}

/** Makes the function that waits until the snapshot differs from the known one, and returns it. */
export function createSnapshots(deps: SnapshotsDeps): (known: string) => Promise<Snapshot> {
  const { engine, bus, ending, serveAnyway: confirmed } = deps;
  const run = crypto.randomUUID().slice(0, 8);
  let version = 0;
  let seen: readonly unknown[] = [];

  let links: LeasingLinks = { lan: [], stations: [] };
  let linksOf: readonly unknown[] = [];
  const current = (): LeasingLinks => {
    const { config: { interfaces, devices }, observed, network: { state } } = engine;
    // The VLAN tags of devices decide which links a trunk has.
    const from = [interfaces, devices, observed.devices, state];
    if (from.some((one, at) => one !== linksOf[at])) links = leasingLinks(engine);
    linksOf = from;
    return links;
  };
  const linksTag = (): string => {
    const { lan: downlinks, stations } = current();
    return `${downlinks.join()} ${fingerprint(stations.join())} ${confirmed().join()}`;
  };
  /** Tag of links and of leases: a changed link is sent at once, changed leases are coalesced. */
  const tag = (): readonly [string, string] => {
    const { devices, dhcp } = engine.config;
    if (seen[0] !== devices || seen[1] !== dhcp) {
      seen = [devices, dhcp];
      version++;
    }
    return [linksTag(), `${run}-${version}`];
  };

  return async (known) => {
    const started = performance.now();
    const hasChanged = (): boolean => {
      const [links, leases] = tag();
      if (!known.startsWith(`${links} ${run}-`)) return true;
      return known !== `${links} ${leases}` && performance.now() - started >= COALESCE_DELAY_MS;
    };
    await longPoll({ bus, ending, isOther: hasChanged });
    return snapshot(deps, tag().join(" "), current());
  };
}

function snapshot(
  { engine, serveAnyway: confirmed }: SnapshotsDeps,
  tag: string,
  { lan: downlinks, stations }: LeasingLinks,
): Snapshot {
  const { config, observed } = engine;
  const leases = Object.entries(config.devices).flatMap(([identity, device]) => {
    const address = device.MAC === "" ? null : validAddress(config, device.RecentIP);
    if (address === null) return [];
    return [{
      mac: device.MAC,
      link: observed.devices[identity]?.link ?? null,
      lease: leaseDecision(config, dhcpAnswer(config, device.MAC, address), device.Name),
    }];
  });
  return {
    tag,
    links: [...downlinks, ...stations],
    // A station's link has the station alone: no other server needs to be probed for.
    serveAnyway: [...confirmed(), ...stations],
    leases,
  };
}
