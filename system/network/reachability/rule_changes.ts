import type { Config } from "../../config.ts";
import type { PacketQuery } from "../../core/engine/change.ts";
import type { Desired } from "../../core/kernel/desired.ts";
import { formatIpv4, inRange4, parseIpv4, parseRange4 } from "../../core/net/net.ts";
import type { Element, NftSet } from "../../core/kernel/ruleset.ts";
import { diffElements } from "../../core/kernel/nft/diff.ts";
import { tracePacket } from "../../firewall/trace/trace.ts";
import { baseName } from "../../firewall/sets/regions.ts";
import { type AccessChangeList, INTERNET_ADDRESS } from "./access_change_list.ts";
import { egressLink, firstPacket, isLanAddress, uplinksOf } from "./packet.ts";

/** Maximum pairs evaluated; a rule about everyone affects more than can be listed. */
const MAX_PROBES = 2000;

/** One end of a connection that a rule is about. */
interface RuleEnd {
  /** Device identity, `internet`, `router`, or the address where it is neither. */
  readonly name: string;
  /** Its address in both states; null where it has none. */
  readonly addresses: readonly [string | null, string | null];
}

/** A connection that a rule is about. */
interface RuleProbe {
  readonly from: readonly RuleEnd[];
  readonly to: readonly RuleEnd[];
  readonly protocol: "tcp" | "udp";
  readonly ports: string;
  /** It is called by an uplink's neighbour. */
  readonly fromUplink?: boolean;
}

type States = readonly [Desired, Desired];

function single(name: string, address: string): RuleEnd {
  return { name, addresses: [address, address] };
}

/** Finds the ends that a network stands for. */
class EndFinder {
  readonly #states: States;
  readonly #devices: readonly RuleEnd[];

  constructor(states: States, configs: readonly [Config, Config]) {
    this.#states = states;
    const identities = new Set(configs.flatMap((config) => Object.keys(config.devices)));
    this.#devices = [...identities].map((identity): RuleEnd => {
      const [before, after] = configs.map((config) => config.devices[identity]?.RecentIP || null);
      return { name: identity, addresses: [before ?? null, after ?? null] };
    });
  }

  /** The devices in a network, and an address of it that stands for what is outside. */
  of(text: string): readonly RuleEnd[] {
    const range = parseRange4(text);
    if (range === null) return [];
    const devices = this.#devices.filter(({ addresses }) =>
      addresses.some((address) => {
        const value = address === null ? null : parseIpv4(address);
        return value !== null && inRange4(range, value);
      })
    );
    const sample = inRange4(range, parseIpv4(INTERNET_ADDRESS)!)
      ? INTERNET_ADDRESS
      : formatIpv4(range.prefix < 31 ? range.first + 1 : range.first);
    if (this.#states.some((desired) => isLanAddress(desired.ruleset, sample))) return devices;
    return [...devices, single(sample === INTERNET_ADDRESS ? "internet" : text, sample)];
  }

  /** The device with this address, else the address. */
  at(address: string): RuleEnd {
    return this.of(address)[0] ?? single(address, address);
  }
}

/** An address that the router itself has towards uplinks, else any of its own. */
function routerOf(desired: Desired): string {
  const uplinks = uplinksOf(desired.ruleset);
  const own = desired.addresses.find((one) => uplinks.includes(one.link)) ?? desired.addresses[0];
  return own?.address.split("/")[0] ?? desired.facts?.addresses[0] ?? "127.0.0.1";
}

function router(states: States): RuleEnd {
  return { name: "router", addresses: [routerOf(states[0]), routerOf(states[1])] };
}

/** What the element of a forward's map is about: who calls which address, and where it leads. */
function forwardProbe(
  set: NftSet,
  element: Element,
  states: States,
  ends: EndFinder,
): RuleProbe | null {
  const { key, value } = element;
  if (value === undefined || "kind" in value) return null;
  const ports = set.key.at(-1) === "inet_service" ? key.at(-1)! : "0-65535";
  const nets = key.filter((_, i) => set.key[i] === "ipv4_addr");
  const from = nets.length > 1 ? parseRange4(nets[0]!) : null;
  const caller = from && from.prefix > 0
    ? single(nets[0]!, formatIpv4(from.prefix < 31 ? from.first + 1 : from.first))
    : single("internet", INTERNET_ADDRESS);
  const called = parseRange4(nets.at(-1)!);
  const address = called?.prefix === 32 ? formatIpv4(called.first) : null;
  const target = ends.at(value[0]!);
  return {
    from: [caller],
    // Judged at the address that is called; named after the machine that it leads to.
    to: [{
      name: target.name,
      addresses: [address ?? routerOf(states[0]), address ?? routerOf(states[1])],
    }],
    protocol: set.name.startsWith("udp") ? "udp" : "tcp",
    ports,
    fromUplink: true,
  };
}

/** What an element of a rule's set is about; null for sets of other kinds. */
function probeOf(set: NftSet, element: Element, states: States, ends: EndFinder): RuleProbe | null {
  const { key } = element;
  const [first = "", second = ""] = key;
  const protocol = key[2] === "udp" ? "udp" : "tcp";
  switch (baseName(set.name)) {
    case "block":
      return { from: ends.of(first), to: ends.of(second), protocol, ports: "0-65535" };
    case "fwd_block":
      return { from: ends.of(first), to: ends.of(second), protocol, ports: key[3] ?? "" };
    case "output_block":
      return { from: [router(states)], to: ends.of(second), protocol, ports: key[3] ?? "" };
    case "ept_tcpfwd":
      return { from: ends.of(first), to: ends.of(second), protocol: "tcp", ports: key[2] ?? "" };
    case "ept_udpfwd":
      return { from: ends.of(first), to: ends.of(second), protocol: "udp", ports: key[2] ?? "" };
    case "fwd_iface_wan": {
      const to = [single("internet", INTERNET_ADDRESS)];
      return { from: ends.of(second), to, protocol: "tcp", ports: "0-65535" };
    }
    case "fwd_iface_lan": {
      const to = ends.of("0.0.0.0/0").filter((one) => one.name !== "internet");
      return { from: ends.of(second), to, protocol: "tcp", ports: "0-65535" };
    }
    case "fwd_iface_dns":
      return { from: ends.of(second), to: [router(states)], protocol: "udp", ports: "53" };
    case "api_interfaces":
      return { from: ends.of(second), to: [router(states)], protocol: "tcp", ports: "80" };
    default:
      return /^(tcp|udp)\w*fwd/.test(set.name) ? forwardProbe(set, element, states, ends) : null;
  }
}

/** The elements of sets that rules fill and that one state has and the other has not. */
function* changedElements([before, after]: States): Iterable<readonly [NftSet, Element]> {
  for (const [i, table] of before.ruleset.tables.entries()) {
    const other = after.ruleset.tables[i];
    if (!other || other === table) continue;
    const sets = new Map<string, [NftSet | null, NftSet | null]>();
    for (const set of table.sets) sets.set(set.name, [set, null]);
    for (const set of other.sets) sets.set(set.name, [sets.get(set.name)?.[0] ?? null, set]);
    for (const [a, b] of sets.values()) {
      const shape = (a ?? b)!;
      if (a === b || !shape.interval) continue;
      const empty = { ...shape, elements: new Map() };
      const { gone, come } = diffElements(a ?? empty, b ?? empty);
      for (const element of [...gone, ...come]) yield [shape, element];
    }
  }
}

function what(question: RuleProbe): string {
  const { protocol, ports } = question;
  return /^[01]-65535$/.test(ports) ? protocol : `${protocol} ${ports}`;
}

/** A port of the range that is no port of the router's own where there is a choice. */
function samplePort(ports: string): number {
  const [low = "0", high = low] = ports.split("-");
  return Math.min(Math.max(Number(low), 9), Number(high)); // RFC 863: discard
}

/**
 * The answers that flip because rules came or went: blocks, forwards, endpoints and what interfaces
 * may do, evaluated for their own ends and ports. Yields after each small step.
 */
export function* ruleAccessChanges(
  flips: AccessChangeList,
  states: States,
  configs: readonly [Config, Config],
): Generator<void, void> {
  const ends = new EndFinder(states, configs);
  const seen = new Set<string>();
  let probes = 0;
  for (const [set, element] of changedElements(states)) {
    yield;
    const question = probeOf(set, element, states, ends);
    if (!question) continue;
    for (const from of question.from) {
      for (const to of question.to) {
        const name = `${from.name} ${to.name} ${what(question)} ${to.addresses[1]}`;
        if (from.name === to.name || seen.has(name)) continue;
        seen.add(name);
        if (++probes > MAX_PROBES) return;
        yield;
        flips.compare(states, what(question), (desired, side) => {
          const i = side === "before" ? 0 : 1;
          const source = from.addresses[i], destination = to.addresses[i];
          if (!source || !destination) return null;
          return verdict(desired, question, source, destination);
        }, () => [[from.name, to.name]]);
      }
    }
  }
}

function verdict(desired: Desired, question: RuleProbe, source: string, destination: string) {
  const uplink = uplinksOf(desired.ruleset)[0];
  if (question.fromUplink && uplink === undefined) return null;
  const query: PacketQuery = {
    source,
    destination,
    protocol: question.protocol,
    dport: samplePort(question.ports),
    ...(question.fromUplink && uplink !== undefined ? { iif: uplink } : {}),
  };
  const seen = firstPacket(desired, query);
  const own = question.fromUplink ? { ...seen, oif: null } : seen;
  return tracePacket(desired.ruleset, own, (address) => egressLink(desired, address));
}
