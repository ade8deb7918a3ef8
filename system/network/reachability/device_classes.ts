import type { Config } from "../../config.ts";
import { onceEach } from "../../core/config/memo.ts";
import type { AccessChangeStates } from "../../core/engine/change.ts";
import type { Desired } from "../../core/kernel/desired.ts";
import type { NftSet } from "../../core/kernel/ruleset.ts";
import { diffElements } from "../../core/kernel/nft/diff.ts";
import { filterTable, findSet } from "../../firewall/trace/lookup.ts";
import { linkChanges } from "./link_changes.ts";
import { OWN_ONLY, PairAccess } from "./pair_access.ts";

/** A device with its address in two states; null where it does not exist. */
export interface DeviceAddresses {
  readonly identity: string;
  readonly before: string | null;
  readonly after: string | null;
  /** Why it has no connection in the one state; absent where its interface stays what it is. */
  readonly reason?: string;
}

/** Devices that every rule treats alike, in both states. */
export interface DeviceClass {
  readonly members: readonly DeviceAddresses[];
  /** Rules treat them otherwise than before. */
  readonly changed: boolean;
}

/** Two states with the configurations that they come from. */
export type Change = AccessChangeStates<Config>;

// Sets that every device's way to the router or out depends on.
const COMMON = [
  "uplink_interfaces",
  "lan_interfaces",
  "lan_tcp_accept",
  "ping_rules",
  "supernetworks",
];

/** What the sets say of each address. */
const traitsOf = onceEach((desired: Desired): ReadonlyMap<string, string> => {
  const byAddress = new Map<string, { pair: string; own: string }>();
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
  return new Map([...byAddress].map(([address, { own, pair }]) => [address, own + pair]));
});

function commonDiffers(before: Desired, after: Desired): boolean {
  const a = filterTable(before.ruleset), b = filterTable(after.ruleset);
  return COMMON.some((name) => {
    const x: NftSet | undefined = a && findSet(a, name), y = b && findSet(b, name);
    if (!x || !y) return x !== y;
    const { gone, come } = diffElements(x, y);
    return gone.length + come.length > 0;
  });
}

/** The devices of both configurations with their addresses. */
export function addressesOf(
  { config, next, observed }: Pick<Change, "config" | "next" | "observed">,
): readonly DeviceAddresses[] {
  const moved = observed && linkChanges({ config, next, observed });
  const address = (devices: Config["devices"], identity: string): string | null =>
    devices[identity]?.RecentIP || null;
  const identities = new Set([...Object.keys(config.devices), ...Object.keys(next.devices)]);
  return [...identities].map((identity) => {
    const before = address(config.devices, identity), after = address(next.devices, identity);
    const change = moved?.get(identity);
    if (change === undefined) return { identity, before, after };
    // Where its cable is plugged in, its address leads to nobody.
    const { serves, reason } = change;
    return { identity, before: serves ? null : before, after: serves ? after : null, reason };
  });
}

interface Sign {
  /** Devices with the same sign are in one class. */
  readonly sign: string;
  readonly changed: boolean;
}

function grouped(
  list: readonly DeviceAddresses[],
  signOf: (party: DeviceAddresses) => Sign,
): readonly DeviceClass[] {
  const classes = new Map<string, { members: DeviceAddresses[]; changed: boolean }>();
  for (const party of list) {
    const { sign, changed } = signOf(party);
    const known = classes.get(sign);
    if (known) known.members.push(party);
    else classes.set(sign, { members: [party], changed });
  }
  return [...classes.values()];
}

/** The devices of both states in classes, by what concerns each of them alone. */
export function ownClasses(
  change: Change,
  devices: readonly DeviceAddresses[],
): readonly DeviceClass[] {
  const before = traitsOf(change.before), after = traitsOf(change.after);
  const all = commonDiffers(change.before, change.after);
  return grouped(devices, (party) => {
    const a = party.before === null ? "none" : before.get(party.before) ?? "none";
    const b = party.after === null ? "none" : after.get(party.after) ?? "none";
    return { sign: `${a}\n${b}\n${party.reason ?? ""}`, changed: all || a !== b };
  });
}

/** The devices of both states in classes by what concerns pairs, and the access between them. */
export interface PairClasses {
  readonly classes: readonly DeviceClass[];
  readonly before: PairAccess;
  readonly after: PairAccess;
}

/** Devices that are looked at without a pause. */
const DEVICES_PER_STEP = 50;

/** Access in the last state that changes were compared with, for as long as no device moves. */
const lastWith = onceEach((_: Desired["addresses"]): { access: PairAccess | null } => ({
  access: null,
}));

/** Puts devices that every rule treats alike towards others, in both states, into one class. */
export function* pairClasses(
  change: Change,
  devices: readonly DeviceAddresses[],
): Generator<void, PairClasses> {
  const addresses = (side: "before" | "after"): readonly string[] =>
    devices.flatMap((party) => party[side] ?? []);
  const last = lastWith(change.before.addresses);
  const before = last.access = PairAccess.of(change.before, addresses("before"), last.access);
  yield;
  const after = PairAccess.of(change.after, addresses("after"), before);
  const signs = new Map<DeviceAddresses, Sign>();
  for (const [at, party] of devices.entries()) {
    if (at % DEVICES_PER_STEP === 0) yield;
    const a = party.before === null ? null : before.end(party.before);
    const b = party.after === null ? null : after.end(party.after);
    signs.set(party, {
      sign: `${a?.sign ?? "none"} ${b?.sign ?? "none"} ${party.reason ?? ""}`,
      changed: a?.traits !== b?.traits,
    });
  }
  return { classes: grouped(devices, (party) => signs.get(party)!), before, after };
}
