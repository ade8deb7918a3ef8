import type { Config } from "../config.ts";
import type { Observations } from "../core/engine/change.ts";
import { memberIndex } from "../core/config/member_index.ts";
import { changedMembers, onceEach } from "../core/config/memo.ts";
import { heldAddress } from "../dhcp/tiny_net.ts";
import type { Facts } from "../core/kernel/facts.ts";
import { formatIpv4, inRange4, overlaps4, parseRange4, type Range4 } from "../core/net/net.ts";

/** The link that carries the router's LAN addresses. */
export const LAN_LINK = "sluice0";

/** Pools are at least so large (prefix length): the addresses around a device's were in its pool. */
const SMALLEST_POOL = 24;

function networkOf(range: Range4): string {
  return `${formatIpv4(range.first)}/${range.prefix}`;
}

/** Devices whose address is outside all of these pools. */
const devicesOutside = onceEach((networks: readonly string[]) => {
  const pools = networks.flatMap((net) => parseRange4(net) ?? []);
  return memberIndex<Config["devices"][string], Set<string>>({
    empty: () => new Set(),
    add: (outside, identity, device) => {
      const address = heldAddress(device);
      if (address === null || pools.some((pool) => inRange4(pool, address))) return;
      outside.add(identity);
    },
    remove: (outside, identity) => void outside.delete(identity),
  });
});

/**
 * LAN subnets whose pools were replaced and in which devices still are: those that are online and
 * have not renewed since, and VPN peers, which never renew. The router keeps its address there until
 * they have moved, unless an uplink needs the addresses.
 */
function previousSubnets(
  config: Pick<Config, "devices" | "dhcp" | "interfaces">,
  observed: Observations,
  facts: Facts,
): readonly string[] {
  const outside = devicesOutside(config.dhcp.TinyNets)(config.devices);
  if (outside.size === 0) return [];
  const uplinks = new Set(
    config.interfaces.filter(({ Type }) => Type === "Uplink").map(({ Name }) => Name),
  );
  const foreign = [
    ...config.interfaces.filter(({ Name, IP }) => uplinks.has(Name) && IP !== "").map(({ IP }) =>
      IP
    ),
    ...facts.addresses.filter(({ link }) => uplinks.has(link)).map(({ address }) => address),
  ].flatMap((text) => parseRange4(text) ?? []);
  // The router's addresses there: a large pool has one, not one for each /24 of it.
  const standing = facts.addresses.filter(({ link }) => link === LAN_LINK)
    .flatMap(({ address }) => parseRange4(address) ?? []);
  const found = new Map<string, Range4>();
  for (const [identity, device] of Object.entries(config.devices)) {
    const address = outside.has(identity) ? heldAddress(device) : null;
    if (address === null || address % 4 !== 2) continue;
    if (!observed.devices[identity]?.online && device.WGPubKey === "") continue;
    if ([...found.values()].some((range) => inRange4(range, address))) continue;
    const range = standing.find((one) => inRange4(one, address)) ??
      parseRange4(`${formatIpv4(address - address % 256)}/${SMALLEST_POOL}`)!;
    if (foreign.some((other) => overlaps4(other, range))) continue;
    found.set(networkOf(range), range);
  }
  return [...found.keys()];
}

/** True when no device changed its address or became a VPN peer. */
function sameAddresses(before: Config["devices"], after: Config["devices"]): boolean {
  return changedMembers(before, after)?.every((identity) => {
    const [old, now] = [before[identity]!, after[identity]!];
    return old.RecentIP === now.RecentIP && old.WGPubKey === now.WGPubKey;
  }) ?? false;
}

interface LanSubnets {
  readonly devices: Config["devices"];
  readonly pools: Config["dhcp"]["TinyNets"];
  readonly interfaces: Config["interfaces"];
  readonly observed: Observations["devices"];
  readonly addresses: Facts["addresses"];
  readonly networks: readonly string[];
}

/** The last result: callers compare the object itself. */
export interface SubnetsMemo {
  subnets: LanSubnets | null;
}

/** Every LAN subnet: the pools in their order, then the previous ones. */
export function lanSubnets(
  config: Config,
  observed: Observations,
  facts: Facts,
  memo: SubnetsMemo = { subnets: null },
): readonly string[] {
  const { devices, interfaces, dhcp: { TinyNets: pools } } = config;
  const { addresses } = facts;
  const last = memo.subnets;
  if (
    last !== null && last.pools === pools && last.interfaces === interfaces &&
    last.observed === observed.devices && last.addresses === addresses &&
    sameAddresses(last.devices, devices)
  ) {
    memo.subnets = { ...last, devices };
    return last.networks;
  }
  const previous = previousSubnets(config, observed, facts);
  const joined = previous.length === 0 ? pools : [...pools, ...previous];
  const same = last !== null && last.networks.length === joined.length &&
    joined.every((net, at) => last.networks[at] === net);
  const networks = same ? last.networks : joined;
  memo.subnets = { devices, pools, interfaces, observed: observed.devices, addresses, networks };
  return networks;
}
