import type { Config } from "../../config.ts";
import type { Desired } from "../../core/kernel/desired.ts";
import type { NftSet } from "../../core/kernel/ruleset.ts";
import { POLICIES } from "../../devices/policies.ts";
import { diffElements } from "../../core/kernel/nft/diff.ts";
import { filterTable, findSet } from "../../firewall/trace/lookup.ts";

/** A device with its address in two states; null where it does not exist. */
export interface DeviceAddresses {
  readonly identity: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** Devices that every rule treats alike, in both states. */
export interface DeviceClass {
  readonly members: readonly DeviceAddresses[];
  /** Rules treat them otherwise than before. */
  readonly changed: boolean;
}

/** Two states with the configurations that they come from. */
export interface Change {
  readonly before: Desired;
  readonly after: Desired;
  readonly config: Config;
  readonly next: Config;
}

// Sets that have no say in what devices may do to each other.
const OWN_ONLY = new Set(
  POLICIES.flatMap(({ devices, effect }) =>
    devices !== null && "target" in effect && effect.target !== "lan" ? [devices.name] : []
  ),
);

// Sets that every device's way to the router or out depends on.
const COMMON = [
  "uplink_interfaces",
  "lan_interfaces",
  "lan_tcp_accept",
  "ping_rules",
  "supernetworks",
];

/** What the sets say of an address: about its peers, and about itself alone. */
interface Traits {
  pair: string;
  own: string;
}

function traits(desired: Desired): ReadonlyMap<string, Traits> {
  const byAddress = new Map<string, Traits>();
  const table = filterTable(desired.ruleset);
  const lan = table && findSet(table, "lan_interfaces");
  for (const set of table?.sets ?? []) {
    if (set.interval || set.key[0] !== "ipv4_addr") continue;
    const alone = OWN_ONLY.has(set.name);
    for (const element of set.elements.values()) {
      const address = element.key[0]!;
      let known = byAddress.get(address);
      if (!known) byAddress.set(address, known = { pair: "", own: "" });
      const link = element.key[1];
      const trait = link === undefined || lan?.elements.has(link)
        ? `${set.name},`
        : `${set.name} apart,`;
      if (alone) known.own += trait;
      else known.pair += trait;
    }
  }
  return byAddress;
}

function commonDiffers(before: Desired, after: Desired): boolean {
  const a = filterTable(before.ruleset), b = filterTable(after.ruleset);
  return COMMON.some((name) => {
    const x: NftSet | undefined = a && findSet(a, name), y = b && findSet(b, name);
    if (!x || !y) return x !== y;
    const { gone, come } = diffElements(x, y);
    return gone.length + come.length > 0;
  });
}

function parties(config: Config, next: Config): readonly DeviceAddresses[] {
  const address = (devices: Config["devices"], identity: string): string | null =>
    devices[identity]?.RecentIP || null;
  const identities = new Set([...Object.keys(config.devices), ...Object.keys(next.devices)]);
  return [...identities].map((identity) => ({
    identity,
    before: address(config.devices, identity),
    after: address(next.devices, identity),
  }));
}

function grouped(
  list: readonly DeviceAddresses[],
  sign: (party: DeviceAddresses) => readonly [string, string],
  all: boolean,
): readonly DeviceClass[] {
  const classes = new Map<string, { members: DeviceAddresses[]; changed: boolean }>();
  for (const party of list) {
    const [before, after] = sign(party);
    const key = `${before}\n${after}`;
    const known = classes.get(key);
    if (known) known.members.push(party);
    else classes.set(key, { members: [party], changed: all || before !== after });
  }
  return [...classes.values()];
}

/** The devices of both states in classes: by what concerns pairs, and by what concerns one alone. */
export function classesOf(
  change: Change,
): { readonly pairs: readonly DeviceClass[]; readonly own: readonly DeviceClass[] } {
  const before = traits(change.before), after = traits(change.after);
  const list = parties(change.config, change.next);
  const all = commonDiffers(change.before, change.after);
  const of =
    (part: (traits: Traits) => string) => (party: DeviceAddresses): readonly [string, string] => {
      const a = party.before === null ? undefined : before.get(party.before);
      const b = party.after === null ? undefined : after.get(party.after);
      return [a ? part(a) : "none", b ? part(b) : "none"];
    };
  return {
    pairs: grouped(list, of((one) => one.pair), false),
    own: grouped(list, of((one) => `${one.own}${one.pair}`), all),
  };
}
