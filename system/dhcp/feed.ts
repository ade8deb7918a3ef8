import type { Config } from "../config.ts";
import { hasMeshLinks } from "../mesh/network.ts";
import { memo } from "../core/config/memo.ts";
import type { ChangeEngine } from "../core/engine/change.ts";
import { type FeedDeps, type Poll, waitForNews } from "../core/ipc/feed.ts";
import { fingerprint } from "../multicast/relay_plan.ts";
import type { Snapshot } from "./api_schema.ts";
import { dhcpAnswer, leaseDecision, validAddress } from "./leases/lease_rules.ts";
import { type LeasingInterfaces, leasingInterfaces } from "./leasing_interfaces.ts";

/** Milliseconds over which changes of leases are coalesced. */
const COALESCE_DELAY_MS = 3000;

/** Dependencies of {@link createDhcpFeed}. */
export interface DhcpFeedDeps extends FeedDeps {
  readonly engine: Pick<ChangeEngine<Config>, "config" | "network" | "observed" | "desired">;
  /** Interfaces that an admin confirmed for DHCP beside another server. */
  readonly serveAnyway: () => readonly string[];
}

/** The feed of snapshots for dhcpd. */
export function createDhcpFeed(deps: DhcpFeedDeps): Poll<Snapshot> {
  const { engine, serveAnyway } = deps;
  const run = crypto.randomUUID().slice(0, 8);
  let version = 0;
  let seen: readonly unknown[] = [];

  const links = memo((..._inputs: readonly unknown[]) => leasingInterfaces(engine));
  const currentInterfaces = (): LeasingInterfaces => {
    const { config: { interfaces, devices, mesh }, observed, network: { state } } = engine;
    // The VLAN tags of devices decide which interfaces a trunk has.
    return links(interfaces, devices, mesh, hasMeshLinks(engine), observed.devices, state);
  };
  const linksTag = (): string => {
    const { decided, lan, stations, points } = currentInterfaces();
    const known = fingerprint([...stations, "", ...points].join());
    return `${decided ? "" : "?"}${lan.join()} ${known} ${serveAnyway().join()}`;
  };
  /** Tag of interfaces and of leases: a changed interface is sent at once, changed leases are coalesced. */
  const tag = (): readonly [string, string] => {
    const { devices, dhcp } = engine.config;
    if (seen[0] !== devices || seen[1] !== dhcp) {
      seen = [devices, dhcp];
      version++;
    }
    return [linksTag(), `${run}-${version}`];
  };

  return async (known) => {
    await waitForNews(deps, (waited) => {
      const [links, leases] = tag();
      if (!known.startsWith(`${links} ${run}-`)) return true;
      return known !== `${links} ${leases}` && waited >= COALESCE_DELAY_MS;
    });
    return snapshot(deps, tag().join(" "), currentInterfaces());
  };
}

function snapshot(
  { engine, serveAnyway }: DhcpFeedDeps,
  tag: string,
  { decided, lan, stations, points }: LeasingInterfaces,
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
    decided,
    links: [...lan, ...stations],
    // A station's interface has the station alone: no other server needs to be probed for.
    serveAnyway: [...serveAnyway(), ...stations],
    points: [...points],
    leases,
  };
}
