import type { AccessChanges } from "../../core/engine/change.ts";
import type { Desired } from "../../core/kernel/desired.ts";
import { tracePacket } from "../../firewall/trace/trace.ts";
import { filterTable, findSet } from "../../firewall/trace/lookup.ts";
import { AccessChangeList, INTERNET_ADDRESS, NO_ADDRESS, NO_UPLINK } from "./access_change_list.ts";
import { firstPacket, isLanAddress, uplinksOf } from "./packet.ts";
import {
  addressesOf,
  type Change,
  type DeviceAddresses,
  type DeviceClass,
  ownClasses,
  type PairClasses,
  pairClasses,
} from "./device_classes.ts";
import type { PairAccess, PairAnswer } from "./pair_access.ts";
import { ruleAccessChanges } from "./rule_changes.ts";

const PRIVATE = ["10.255.255.254", "172.31.255.254", "192.168.255.254", "100.127.255.254"];

function addressOf(party: DeviceAddresses, side: "before" | "after"): string | null {
  return side === "before" ? party.before : party.after;
}

function* pairsOf(a: DeviceClass, b: DeviceClass): Iterable<readonly [string, string]> {
  for (const from of a.members) {
    for (const to of b.members) if (from !== to) yield [from.identity, to.identity];
  }
}

/** Pairs that are looked up without a pause. */
const LOOK_UPS_PER_STEP = 2000;

/** Pairs of which neither changed are left out. */
function* betweenDevices(
  flips: AccessChangeList,
  { classes, before, after }: PairClasses,
): Generator<void, void> {
  const answerOf = (
    access: PairAccess,
    [from, to]: readonly [string | null, string | null],
    absent: string,
  ): PairAnswer =>
    from === null || to === null
      ? { accepts: false, reason: absent }
      : access.answer(access.end(from), access.end(to));
  const askPair = (a: DeviceClass, b: DeviceClass): void => {
    const from = a.members[0]!;
    const to = b.members.find((one) => one !== from);
    if (!to) return;
    const absent = (from.after === null ? from : to).reason ?? NO_ADDRESS;
    const could = answerOf(before, [from.before, to.before], absent);
    const can = answerOf(after, [from.after, to.after], absent);
    if (could.accepts === can.accepts) return;
    const { length } = a.members;
    const size = a === b ? length * (length - 1) : length * b.members.length;
    const pairs = pairsOf(a, b);
    flips.add({ traffic: "all", allowed: can.accepts, reason: can.reason, pairs, size });
  };
  let lookUps = 0, traced = 0;
  for (const a of classes) {
    if (!a.changed) continue;
    for (const b of classes) {
      askPair(a, b);
      if (!b.changed) askPair(b, a);
      const traces = before.traces + after.traces;
      if (traces === traced && ++lookUps % LOOK_UPS_PER_STEP !== 0) continue;
      traced = traces;
      yield;
    }
  }
}

function portsOf(desired: Desired, name: string): readonly string[] {
  const table = filterTable(desired.ruleset);
  const set = table && findSet(table, name);
  return [...(set?.elements.keys() ?? [])];
}

function portsOfBoth(states: readonly [Desired, Desired], name: string): readonly number[] {
  const ports = new Set(states.flatMap((desired) => portsOf(desired, name)));
  return [...ports].map(Number).sort((a, b) => a - b);
}

/** The router's own address towards home, else any. */
function routerOf(desired: Desired): string {
  return desired.addresses[0]?.address.split("/")[0] ?? "127.0.0.1";
}

/** Why the devices of a class have no connection. */
function absence(one: DeviceClass): string {
  return one.members[0]!.reason ?? NO_ADDRESS;
}

function toRouter(
  flips: AccessChangeList,
  states: readonly [Desired, Desired],
  one: DeviceClass,
): void {
  const probes = [
    { what: "udp 53", protocol: "udp", dport: 53 } as const,
    ...portsOfBoth(states, "lan_tcp_accept").map((dport) =>
      ({ what: `tcp ${dport}`, protocol: "tcp", dport }) as const
    ),
    { what: "icmp", protocol: "icmp" } as const,
  ];
  for (const { what, ...probe } of probes) {
    flips.compare(
      states,
      what,
      (desired, side) => {
        const source = addressOf(one.members[0]!, side);
        if (source === null) return null;
        const seen = firstPacket(desired, { source, destination: routerOf(desired), ...probe });
        // Without a home link yet, its address is the router's all the same.
        return tracePacket(desired.ruleset, { ...seen, oif: null });
      },
      () => one.members.map((party) => [party.identity, "router"] as const),
      absence(one),
    );
  }
}

function toInternet(
  flips: AccessChangeList,
  states: readonly [Desired, Desired],
  one: DeviceClass,
): void {
  const elsewhere = PRIVATE.find((address) =>
    states.every((desired) => !isLanAddress(desired.ruleset, address))
  );
  const absent = one.members[0]!.after === null ? absence(one) : NO_UPLINK;
  const probes = [
    { what: "all", destination: INTERNET_ADDRESS },
    ...(elsewhere ? [{ what: "private networks behind the uplink", destination: elsewhere }] : []),
  ];
  for (const { what, destination } of probes) {
    flips.compare(
      states,
      what,
      (desired, side) => {
        const source = addressOf(one.members[0]!, side);
        const oif = uplinksOf(desired.ruleset)[0];
        if (source === null || oif === undefined) return null;
        const query = { source, destination, protocol: "tcp", dport: 443 } as const;
        return tracePacket(desired.ruleset, { ...firstPacket(desired, query), oif });
      },
      () => one.members.map((party) => [party.identity, "internet"] as const),
      absent,
    );
  }
}

function fromInternet(flips: AccessChangeList, states: readonly [Desired, Desired]): void {
  const probes = [
    ...portsOfBoth(states, "wan_tcp_accept").map((dport) =>
      ({ what: `tcp ${dport}`, protocol: "tcp", dport }) as const
    ),
    ...portsOfBoth(states, "vpn_udp_accept").map((dport) =>
      ({ what: `udp ${dport}`, protocol: "udp", dport }) as const
    ),
    { what: "icmp", protocol: "icmp" } as const,
  ];
  for (const { what, ...probe } of probes) {
    flips.compare(states, what, (desired) => {
      const iif = uplinksOf(desired.ruleset)[0];
      if (iif === undefined) return null;
      return tracePacket(desired.ruleset, {
        ...firstPacket(desired, {
          source: INTERNET_ADDRESS,
          destination: INTERNET_ADDRESS,
          iif,
          ...probe,
        }),
        oif: null,
      });
    }, () => [["internet", "router"] as const]);
  }
}

/**
 * The answers to "can A reach B" that differ between two states: between devices, to the Internet
 * and to the router. Devices with identical access in both states are evaluated once, and pairs of which
 * neither changed not at all. Yields after each small step.
 */
export function* accessChangeSteps(
  change: Change,
): Generator<void, AccessChanges> {
  const { before, after, config, next } = change;
  const states = [before, after] as const;
  const found = new AccessChangeList();
  const devices = addressesOf(change);
  const moved = devices.some(({ reason }) => reason !== undefined);
  if (moved || before.ruleset !== after.ruleset || before.addresses !== after.addresses) {
    const own = ownClasses(change, devices);
    yield;
    for (const one of own) {
      if (!one.changed) continue;
      toInternet(found, states, one);
      toRouter(found, states, one);
      yield;
    }
    fromInternet(found, states);
    yield;
    const pairs = yield* pairClasses(change, devices);
    yield;
    yield* betweenDevices(found, pairs);
    yield* ruleAccessChanges(found, states, [config, next]);
  }
  const { allowed, denied, more } = found;
  return { allowed, denied, more };
}
