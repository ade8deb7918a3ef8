import { onceEach } from "../core/config/memo.ts";
import type { Config } from "../config.ts";
import type { Desired } from "../core/kernel/desired.ts";
import { formatIpv4, parseAddress, parseIpv4 } from "../core/net/net.ts";
import { leafBehind } from "../mesh/leaf_names.ts";
import { routerOf } from "../dhcp/tiny_net.ts";
import { addressBinding } from "../firewall/trace/lookup.ts";
import { isLanAddress, isRouterAddress, uplinksOf } from "../network/reachability/packet.ts";
import { hostOf } from "../network/plan.ts";
import type { ReachEnd } from "./schema.ts";

/** An address that stands for the whole Internet: no LAN device has it. */
export const INTERNET_ADDRESS = "1.1.1.1";

/** Of an end that is no device with a place in the network. */
const NOWHERE = { link: null, leaf: null } as const;

/** The configuration and the state that a question is put to. */
export interface ReachState {
  readonly config: Pick<Config, "devices" | "mesh">;
  readonly desired: Desired;
}

const holdersByAddress = onceEach((devices: Config["devices"]): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(devices).filter(([, { RecentIP }]) => RecentIP !== "")
      .map(([identity, { RecentIP }]) => [RecentIP, identity]),
  )
);

/** The device that holds an address, or undefined. */
export function holderOf(devices: Config["devices"], address: string): string | undefined {
  return holdersByAddress(devices).get(address);
}

/** What people call a device: its name, else its identity. */
export function deviceName(devices: Config["devices"], identity: string): string {
  return devices[identity]?.Name || identity;
}

function deviceEnd(identity: string, { config, desired }: ReachState): ReachEnd {
  const address = config.devices[identity]?.RecentIP || null;
  const link = address === null ? null : addressBinding(desired.ruleset, address)?.link ?? null;
  return {
    kind: "device",
    name: deviceName(config.devices, identity),
    identity,
    ...{ address, link, leaf: leafBehind(config, link) },
  };
}

/** The router's own addresses: all of them, and the first of each link. */
const routerAddresses = onceEach(({ addresses }: Desired) => ({
  hosts: new Set(addresses.map(({ address }) => hostOf(address))),
  byLink: new Map(addresses.toReversed().map(({ link, address }) => [link, address])),
}));

/** The router's own address towards the other end, as far as one is known. */
function routerEnd(peer: ReachEnd | null, { desired }: ReachState): ReachEnd {
  const uplinks = uplinksOf(desired.ruleset);
  const isOutside = peer?.kind === "internet" ||
    (peer?.kind === "address" && peer.address !== null &&
      !isLanAddress(desired.ruleset, peer.address));
  const near = peer?.kind === "device" ? parseIpv4(peer.address ?? "") : null;
  const { hosts, byLink } = routerAddresses(desired);
  const beside = near === null ? null : formatIpv4(routerOf(near));
  const address = isOutside
    ? uplinks.map((link) => byLink.get(link)).find((one) => one !== undefined) ??
      desired.facts?.addresses.find((one) => parseIpv4(one) !== null && !one.startsWith("127."))
    : beside !== null && hosts.has(beside)
    ? beside
    : desired.addresses.find((one) => !uplinks.includes(one.link))?.address;
  return {
    kind: "router",
    name: "the router",
    identity: null,
    address: address === undefined ? null : hostOf(address),
    ...NOWHERE,
  };
}

function addressEnd(address: string, state: ReachState): ReachEnd {
  const holder = holderOf(state.config.devices, address);
  if (holder !== undefined) return deviceEnd(holder, state);
  if (isRouterAddress(state.desired, address)) {
    return { kind: "router", name: "the router", identity: null, address, ...NOWHERE };
  }
  return { kind: "address", name: address, identity: null, address, ...NOWHERE };
}

/**
 * Who an end of a question is in this state. `peer`: the other end, by which the router chooses its
 * address; null while it is not known.
 */
export function endOf(party: string, peer: ReachEnd | null, state: ReachState): ReachEnd {
  if (party === "router") return routerEnd(peer, state);
  if (party === "internet") {
    const [link = null] = uplinksOf(state.desired.ruleset);
    return {
      kind: "internet",
      name: "the Internet",
      identity: null,
      address: INTERNET_ADDRESS,
      ...{ link, leaf: null },
    };
  }
  return parseAddress(party) === null ? deviceEnd(party, state) : addressEnd(party, state);
}
