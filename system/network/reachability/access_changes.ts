import type { Config } from "../../config.ts";
import type { Planner, Preview } from "../../core/engine/change.ts";
import type { Desired } from "../../core/kernel/desired.ts";
import { tracePacket } from "../../firewall/trace/trace.ts";
import { filterTable, findSet } from "../../firewall/trace/lookup.ts";
import { AccessChangeList, INTERNET_ADDRESS } from "./access_change_list.ts";
import { firstPacket, isLanAddress, uplinksOf } from "./packet.ts";
import { classesOf, type DeviceAddresses, type DeviceClass } from "./device_classes.ts";
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

function betweenDevices(
  flips: AccessChangeList,
  states: readonly [Desired, Desired],
  all: readonly DeviceClass[],
): void {
  const changed = all.filter((one) => one.changed);
  const askPair = (a: DeviceClass, b: DeviceClass): void => {
    const from = a.members[0]!;
    const to = b.members.find((one) => one !== from);
    if (!to) return;
    flips.compare(states, "all", (desired, side) => {
      const source = addressOf(from, side), destination = addressOf(to, side);
      if (source === null || destination === null) return null;
      const query = { source, destination, protocol: "tcp", dport: 9 } as const;
      return tracePacket(desired.ruleset, firstPacket(desired, query));
    }, () => pairsOf(a, b));
  };
  for (const a of changed) {
    for (const b of all) {
      askPair(a, b);
      if (!b.changed) askPair(b, a);
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
    flips.compare(states, what, (desired, side) => {
      const source = addressOf(one.members[0]!, side);
      if (source === null) return null;
      const seen = firstPacket(desired, { source, destination: routerOf(desired), ...probe });
      // Without a home link yet, its address is the router's all the same.
      return tracePacket(desired.ruleset, { ...seen, oif: null });
    }, () => one.members.map((party) => [party.identity, "router"] as const));
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
  const probes = [
    { what: "all", destination: INTERNET_ADDRESS },
    ...(elsewhere ? [{ what: "private networks behind the uplink", destination: elsewhere }] : []),
  ];
  for (const { what, destination } of probes) {
    flips.compare(states, what, (desired, side) => {
      const source = addressOf(one.members[0]!, side);
      const oif = uplinksOf(desired.ruleset)[0];
      if (source === null || oif === undefined) return null;
      const query = { source, destination, protocol: "tcp", dport: 443 } as const;
      return tracePacket(desired.ruleset, { ...firstPacket(desired, query), oif });
    }, () => one.members.map((party) => [party.identity, "internet"] as const));
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
 * neither changed not at all.
 */
export function accessChanges(
  before: Desired,
  after: Desired,
  config: Config,
  next: Config,
): ReturnType<Planner<Config>["accessChanges"]> {
  const states = [before, after] as const;
  const found = new AccessChangeList();
  if (before.ruleset !== after.ruleset || before.addresses !== after.addresses) {
    const { pairs, own } = classesOf({ before, after, config, next });
    for (const one of own) {
      if (!one.changed) continue;
      toInternet(found, states, one);
      toRouter(found, states, one);
    }
    fromInternet(found, states);
    betweenDevices(found, states, pairs);
    ruleAccessChanges(found, states, [config, next]);
  }
  const { allowed, denied, more } = found;
  return { allowed, denied, more } satisfies Pick<Preview["reach"], "allowed" | "denied" | "more">;
}
