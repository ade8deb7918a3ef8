import type { Config } from "../../config.ts";
import type { Planner, Preview } from "../../core/engine/change.ts";
import type { Desired } from "../../core/kernel/host.ts";
import { judge } from "../../firewall/judge/judge.ts";
import { filterTable, findSet } from "../../firewall/judge/lookup.ts";
import { Flips, INTERNET } from "./flip_list.ts";
import { isHomeAddress, packet, uplinksOf } from "./packet.ts";
import { classesOf, type Party, type PartyClass } from "./parties.ts";
import { ruleFlips } from "./rule_flips.ts";

const PRIVATE = ["10.255.255.254", "172.31.255.254", "192.168.255.254", "100.127.255.254"];

function addressOf(party: Party, side: "before" | "after"): string | null {
  return side === "before" ? party.before : party.after;
}

function* pairsOf(a: PartyClass, b: PartyClass): Iterable<readonly [string, string]> {
  for (const from of a.members) {
    for (const to of b.members) if (from !== to) yield [from.identity, to.identity];
  }
}

function betweenDevices(
  flips: Flips,
  states: readonly [Desired, Desired],
  all: readonly PartyClass[],
): void {
  const changed = all.filter((one) => one.changed);
  const askPair = (a: PartyClass, b: PartyClass): void => {
    const from = a.members[0]!;
    const to = b.members.find((one) => one !== from);
    if (!to) return;
    flips.ask(states, "all", (desired, side) => {
      const source = addressOf(from, side), destination = addressOf(to, side);
      if (source === null || destination === null) return null;
      const query = { source, destination, protocol: "tcp", dport: 9 } as const;
      return judge(desired.ruleset, packet(desired, query));
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

function toRouter(flips: Flips, states: readonly [Desired, Desired], one: PartyClass): void {
  const probes = [
    { what: "udp 53", protocol: "udp", dport: 53 } as const,
    ...portsOfBoth(states, "lan_tcp_accept").map((dport) =>
      ({ what: `tcp ${dport}`, protocol: "tcp", dport }) as const
    ),
    { what: "icmp", protocol: "icmp" } as const,
  ];
  for (const { what, ...probe } of probes) {
    flips.ask(states, what, (desired, side) => {
      const source = addressOf(one.members[0]!, side);
      if (source === null) return null;
      const seen = packet(desired, { source, destination: routerOf(desired), ...probe });
      // Without a home link yet, its address is the router's all the same.
      return judge(desired.ruleset, { ...seen, oif: null });
    }, () => one.members.map((party) => [party.identity, "router"] as const));
  }
}

function toInternet(flips: Flips, states: readonly [Desired, Desired], one: PartyClass): void {
  const elsewhere = PRIVATE.find((address) =>
    states.every((desired) => !isHomeAddress(desired.ruleset, address))
  );
  const probes = [
    { what: "all", destination: INTERNET },
    ...(elsewhere ? [{ what: "private networks behind the uplink", destination: elsewhere }] : []),
  ];
  for (const { what, destination } of probes) {
    flips.ask(states, what, (desired, side) => {
      const source = addressOf(one.members[0]!, side);
      const oif = uplinksOf(desired.ruleset)[0];
      if (source === null || oif === undefined) return null;
      const query = { source, destination, protocol: "tcp", dport: 443 } as const;
      return judge(desired.ruleset, { ...packet(desired, query), oif });
    }, () => one.members.map((party) => [party.identity, "internet"] as const));
  }
}

function fromInternet(flips: Flips, states: readonly [Desired, Desired]): void {
  const probes = [
    ...portsOfBoth(states, "wan_tcp_accept").map((dport) =>
      ({ what: `tcp ${dport}`, protocol: "tcp", dport }) as const
    ),
    { what: "icmp", protocol: "icmp" } as const,
  ];
  for (const { what, ...probe } of probes) {
    flips.ask(states, what, (desired) => {
      const iif = uplinksOf(desired.ruleset)[0];
      if (iif === undefined) return null;
      return judge(desired.ruleset, {
        ...packet(desired, { source: INTERNET, destination: INTERNET, iif, ...probe }),
        oif: null,
      });
    }, () => [["internet", "router"] as const]);
  }
}

/**
 * The answers to "can A reach B" that differ between two states: between devices, to the Internet
 * and to the router. Devices that are alike in both states are asked about once, and pairs of which
 * neither changed not at all.
 */
export function flips(
  before: Desired,
  after: Desired,
  config: Config,
  next: Config,
): ReturnType<Planner<Config>["flips"]> {
  const states = [before, after] as const;
  const found = new Flips();
  if (before.ruleset !== after.ruleset || before.addresses !== after.addresses) {
    const { pairs, own } = classesOf({ before, after, config, next });
    for (const one of own) {
      if (!one.changed) continue;
      toInternet(found, states, one);
      toRouter(found, states, one);
    }
    fromInternet(found, states);
    betweenDevices(found, states, pairs);
    ruleFlips(found, states, [config, next]);
  }
  const { gains, losses, more } = found;
  return { gains, losses, more } satisfies Pick<Preview["reach"], "gains" | "losses" | "more">;
}
