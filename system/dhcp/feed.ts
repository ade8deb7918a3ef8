import type { Config } from "../config.ts";
import { hasMeshLinks } from "../mesh/network.ts";
import { differingMembers, memo } from "../core/config/memo.ts";
import type { ChangeEngine, Observations } from "../core/engine/change.ts";
import { type FeedDeps, type Poll, waitForNews } from "../core/ipc/feed.ts";
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
    const now = { devices, dhcp, observed };
    if (seen?.devices !== devices || seen.dhcp !== dhcp) version++;
    if (seen === null || isAnyWithdrawn(seen, now)) withdrawals++;
    seen = now;
    return [`${linksTag()} ${run}-${withdrawals}-`, `${version}`];
  };

  return async (known) => {
    await waitForNews(deps, (waited) => {
      const [urgent, leases] = tag();
      if (!known.startsWith(urgent)) return true;
      return known !== `${urgent}${leases}` && waited >= COALESCE_DELAY_MS;
    });
    return snapshot(deps, tag().join(""), currentInterfaces());
  };
}

/** What the leases of known clients follow from. */
interface Seen {
  readonly devices: Config["devices"];
  readonly dhcp: Config["dhcp"];
  readonly observed: Observations["devices"];
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
