import type { Config } from "../config.ts";
import { hasMeshLinks } from "../mesh/network.ts";
import { differingMembers, memo, onceEach } from "../core/config/memo.ts";
import type { ChangeEngine, Observations } from "../core/engine/change.ts";
import { type FeedDeps, type Poll, waitForNews } from "../core/ipc/feed.ts";
import type { DesiredNeighbour } from "../core/kernel/desired.ts";
import type { Device } from "../devices/schema.ts";
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
  let version = 0, withdrawals = 0;
  let seen: Seen | null = null;
  let sent: Snapshot["leases"] = [];

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
  /**
   * Tag of what is sent at once, interfaces and leases that were withdrawn or changed, and of what is
   * coalesced, new leases.
   */
  const tag = (): readonly [string, string] => {
    const { config: { devices, dhcp }, observed: { devices: observed } } = engine;
    const now = { devices, dhcp, observed, neighbours: engine.desired.neighbours };
    if (seen?.devices !== devices || seen.dhcp !== dhcp) version++;
    if (seen === null || isAnyWithdrawn(seen, now) || isAnyMoved(seen, now, sent)) withdrawals++;
    seen = now;
    return [`${linksTag()} ${run}-${withdrawals}-`, `${version}`];
  };

  return async (known) => {
    await waitForNews(deps, (waited) => {
      const [urgent, leases] = tag();
      if (!known.startsWith(urgent)) return true;
      return known !== `${urgent}${leases}` && waited >= COALESCE_DELAY_MS;
    });
    const next = snapshot(deps, tag().join(""), currentInterfaces());
    sent = next.leases;
    return next;
  };
}

/** What the leases of known clients follow from. */
interface Seen {
  readonly devices: Config["devices"];
  readonly dhcp: Config["dhcp"];
  readonly observed: Observations["devices"];
  readonly neighbours: readonly DesiredNeighbour[];
}

/** The path of each client in the leases that were sent. */
const sentPaths = onceEach((leases: Snapshot["leases"]): ReadonlyMap<string, string | null> =>
  new Map(leases.map(({ mac, path }) => [mac, path]))
);

/**
 * True when the path of a client leads to another interface than it was sent with: often only once the
 * kernel has the interface, after the device was seen there. Entries that stay are the same objects.
 */
function isAnyMoved(before: Seen, after: Seen, sent: Snapshot["leases"]): boolean {
  if (before.neighbours === after.neighbours) return false;
  const known = sentPaths(sent);
  return after.neighbours.some((one, at) =>
    before.neighbours[at] !== one && known.has(one.mac) && known.get(one.mac) !== one.link
  );
}

/** True when a client may have lost its lease, or got another one, without dhcpd. */
function isAnyWithdrawn(before: Seen, after: Seen): boolean {
  if (before.dhcp !== after.dhcp) return true;
  if (before.devices === after.devices && before.observed === after.observed) return false;
  const had = (identity: string): boolean => (before.devices[identity]?.RecentIP ?? "") !== "";
  const isChanged = (identity: string): boolean => {
    const now = after.devices[identity];
    return now === undefined || !isLeasedAlike(before.devices[identity]!, now);
  };
  const isMoved = (identity: string): boolean =>
    (before.observed[identity]?.link ?? null) !== (after.observed[identity]?.link ?? null);
  return differingMembers(before.devices, after.devices).some((one) =>
    had(one) && isChanged(one)
  ) ||
    differingMembers(before.observed, after.observed).some((one) => had(one) && isMoved(one));
}

/** True when nothing changed that decides which lease a device has, and where. */
function isLeasedAlike(one: Device, other: Device): boolean {
  return one.MAC === other.MAC && one.RecentIP === other.RecentIP &&
    one.VLANTag === other.VLANTag &&
    one.Policies.includes("guestonly") === other.Policies.includes("guestonly");
}

/** The interface to which the path of each device leads, by its MAC and IP address. */
const paths = onceEach((neighbours: readonly DesiredNeighbour[]): ReadonlyMap<string, string> =>
  new Map(neighbours.map(({ mac, address, link }) => [`${mac} ${address}`, link]))
);

function snapshot(
  { engine, serveAnyway }: DhcpFeedDeps,
  tag: string,
  { decided, lan, stations, points }: LeasingInterfaces,
): Snapshot {
  const { config, observed, desired } = engine;
  const reached = paths(desired.neighbours);
  const leases = Object.entries(config.devices).flatMap(([identity, device]) => {
    const address = device.MAC === "" ? null : validAddress(config, device.RecentIP);
    if (address === null) return [];
    return [{
      mac: device.MAC,
      link: observed.devices[identity]?.link ?? null,
      path: reached.get(`${device.MAC} ${address}`) ?? null,
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
