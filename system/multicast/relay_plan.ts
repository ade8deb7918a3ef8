import type { Config } from "../config.ts";
import type { ChangeEngine } from "../core/engine/change.ts";
import { formatIpv4, parseIpv4 } from "../core/net/net.ts";
import { isUndecided } from "../devices/device.ts";
import { isolationOf } from "../devices/policies.ts";
import type { Device } from "../devices/schema.ts";
import { hasMeshLinks, isBridgedLeaf, meshNetwork } from "../mesh/network.ts";
import { hasPlan } from "../network/has_plan.ts";
import { mdnsName } from "./rules.ts";
import { parseGroup, type RelayInterface, type RelayPlan } from "./schema.ts";

/** Inputs of the plan. */
export interface RelaySources {
  readonly engine: Pick<ChangeEngine<Config>, "config" | "network" | "desired">;
  /** The machine's host name, used where none is configured. */
  readonly hostName: string;
}

const IDLE: RelayPlan = { tag: "nothing", decided: true, links: [], groups: [], name: null };
const UNDECIDED: RelayPlan = { ...IDLE, tag: "undecided", decided: false };

/**
 * The plan of multicastd: nothing where the network is not applied, else every enabled group on every
 * LAN interface. Uplinks are never included.
 */
export function relayPlan({ engine, hostName }: RelaySources): RelayPlan {
  const { config } = engine;
  // The clients of a leaf are on the network of its parent, which relays there.
  if (isBridgedLeaf(config.mesh, hasMeshLinks(engine))) return IDLE;
  if (config.multicast.Disabled) return IDLE;
  if (!hasPlan(engine.network)) return UNDECIDED;
  if (engine.network.state !== "applied") return IDLE;
  const plan = {
    decided: true,
    links: lanInterfaces(engine),
    groups: config.multicast.Addresses.flatMap(({ Address, Disabled, Tags }) => {
      const group = parseGroup(Address);
      return group === null || Disabled ? [] : [{ ...group, tags: Tags }];
    }),
    name: mdnsName(config.multicast, config.hostName || hostName),
  };
  return { tag: fingerprint(JSON.stringify(plan)), ...plan };
}

function lanInterfaces({ config, desired }: RelaySources["engine"]): RelayInterface[] {
  const uplinks = new Set(
    config.interfaces.filter(({ Type }) => Type === "Uplink").map(({ Name }) => Name),
  );
  const admitted = admittedByAddress(config);
  const links = new Map<string, Record<keyof Omit<RelayInterface, "name">, Set<string>>>();
  const link = (name: string) => {
    let found = links.get(name);
    if (!found) {
      const sets = () => new Set<string>();
      found = { addresses: sets(), senders: sets(), tags: sets(), peers: sets() };
      links.set(name, found);
    }
    return found;
  };
  const addSender = (name: string, address: string): void => {
    const device = admitted.get(address);
    if (device === undefined) return;
    link(name).senders.add(address);
    for (const tag of device.DeviceTags) link(name).tags.add(tag);
  };
  for (
    const { Name, Type, Enabled } of meshNetwork(config, hasMeshLinks({ config, desired }))
      .interfaces
  ) {
    if (Type === "Downlink" && Enabled) link(Name);
  }
  // Devices of each interface: permanent neighbours, or tunnel peers in the router's /30.
  for (const { address, link: name } of desired.neighbours) {
    link(name);
    addSender(name, address);
  }
  for (const { link: name, address } of desired.addresses) {
    const peer = /^wg\d+$/.test(name) ? tunnelPeer(address) : null;
    if (peer === null || !admitted.has(peer)) continue;
    link(name).peers.add(peer);
    addSender(name, peer);
  }
  for (const { link: name, address } of desired.addresses) {
    links.get(name)?.addresses.add(address.split("/")[0]!);
  }
  return [...links].filter(([name]) => !uplinks.has(name))
    .map(([name, of]) => ({
      name,
      addresses: [...of.addresses].sort(),
      senders: [...of.senders].sort(),
      tags: [...of.tags].sort(),
      peers: [...of.peers].sort(),
    }))
    .sort((a, b) => a.name < b.name ? -1 : 1);
}

/** The tunnel peer of the router's address in a /30; null for another address. */
function tunnelPeer(address: string): string | null {
  const [host = "", prefix] = address.split("/");
  const value = parseIpv4(host);
  return value === null || prefix !== "30" ? null : formatIpv4(value + 1);
}

function admittedByAddress({ devices }: Config): ReadonlyMap<string, Device> {
  return new Map(
    Object.values(devices).filter(isAdmitted).map((device) => [device.RecentIP, device]),
  );
}

/** Whether its multicast is reflected: somebody decided, and it is neither blocked nor in quarantine. */
function isAdmitted(device: Device): boolean {
  return device.RecentIP !== "" && !device.DeviceDisabled &&
    isolationOf(device.Policies) === undefined && !isUndecided(device);
}

/** Whether two versions of a device make no difference to the plan. */
export function relaysAlike(before: Device, after: Device): boolean {
  const tags = before.DeviceTags, others = after.DeviceTags;
  return before.RecentIP === after.RecentIP && isAdmitted(before) === isAdmitted(after) &&
    tags.length === others.length && tags.every((tag, at) => tag === others[at]);
}

/** FNV-1a of the text with two bases: distinguishes plans, not for security. */
export function fingerprint(text: string): string {
  const hash = (base: number): string => {
    let value = base;
    for (let i = 0; i < text.length; i++) {
      value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
    }
    return (value >>> 0).toString(16).padStart(8, "0");
  };
  return hash(0x811c9dc5) + hash(0x9747b28c);
}
