import type { Desired } from "../../core/kernel/desired.ts";
import type { NftSet } from "../../core/kernel/ruleset.ts";
import { POLICIES } from "../../devices/policies.ts";
import { keyInterval } from "../../firewall/trace/key_interval.ts";
import { addressBinding, filterTable, findSet } from "../../firewall/trace/lookup.ts";
import { type CountsElement, holdsOneOf, Mentions } from "../../firewall/trace/mentions.ts";
import {
  PairIndex,
  type PairRoles,
  type PairRule,
  pairRules,
  rolesIn,
  sharedPairs,
} from "../../firewall/trace/pair_rules.ts";
import { tracePacket } from "../../firewall/trace/trace.ts";
import { reasonOf } from "./access_change_list.ts";
import { egressLink, firstPacket, uplinksOf } from "./packet.ts";
import { plainChanges } from "./plain_changes.ts";

/**
 * What is tried between two ends. The port is one that no rule names by itself: it stands for all that
 * are not named (RFC 863, discard).
 */
const PROBE = { protocol: "tcp", dport: 9 } as const;

/** Sets that have no say in what devices may do to each other. */
export const OWN_ONLY: ReadonlySet<string> = new Set(
  POLICIES.flatMap(({ devices, effect }) =>
    devices !== null && "target" in effect && effect.target !== "lan" ? [devices.name] : []
  ),
);

/** How rules treat an address towards other devices. */
export interface PairEnd extends PairRoles {
  readonly address: string;
  /** The same for two that differ in nothing but their pair rules. */
  readonly base: number;
  /** What sets of addresses say of it, pair rules among them. */
  readonly traits: string;
  /** The same for two of which all rules say the same. */
  readonly sign: number;
  /** A rule sends elsewhere what is meant for it, where other pair rules count. */
  readonly isTranslated: boolean;
  /** Port forwards are looked at for what it sends, as behind an uplink. */
  readonly isOutside: boolean;
  /** Port forwards are looked at for what is sent to it, as to the router's own address. */
  readonly isOfUplink: boolean;
}

/** Whether one device may open any connection to another, and the rule that decides. */
export interface PairAnswer {
  readonly accepts: boolean;
  readonly reason: string;
}

/** What states have in common that differ in plain sets of addresses alone. */
interface Shared {
  readonly mentions: Mentions;
  readonly bases: Map<string, number>;
  readonly signs: Map<string, number>;
  /** By base of the one, base of the other, and the pair rules that they share. */
  readonly known: Map<string, Map<number, PairAnswer>>;
  versions: number;
}

/** States after which everything is found anew, so that what no state holds any more is forgotten. */
const MAX_VERSIONS = 500;

/** Ends that are found faster by going through the pair rules than by an index of these. */
const MAX_WITHOUT_INDEX = 16;

/**
 * Access between devices in one state. Two ends are traced once for their bases and the pair rules
 * that they share, such as groups: thousands of devices have few of these.
 */
export class PairAccess {
  readonly #desired: Desired;
  readonly #addresses: readonly string[];
  readonly #pairs: readonly PairRule[];
  /** Null where few ends are left to be found. */
  readonly #index: PairIndex | null;
  readonly #shared: Shared;
  /** What plain sets say of addresses of which they say other things than when they were all read. */
  readonly #plain: ReadonlyMap<string, readonly string[]>;
  readonly #uplinks: ReadonlySet<string>;
  readonly #linkSets = new Map<string, readonly string[]>();
  readonly #ends: Map<string, PairEnd>;
  #traces = 0;

  private constructor(
    desired: Desired,
    addresses: readonly string[],
    { pairs, index = null, shared, plain = new Map(), ends = new Map() }: {
      readonly pairs: readonly PairRule[];
      readonly index?: PairIndex | null;
      readonly shared: Shared;
      readonly plain?: ReadonlyMap<string, readonly string[]>;
      readonly ends?: Map<string, PairEnd>;
    },
  ) {
    this.#desired = desired;
    this.#addresses = addresses;
    this.#pairs = pairs;
    this.#index = index;
    this.#shared = shared;
    this.#plain = plain;
    this.#ends = ends;
    this.#uplinks = new Set(uplinksOf(desired.ruleset));
  }

  /**
   * `addresses`: all that are looked up. `earlier`: of another state; of addresses of which both say the
   * same, what it knows is not found anew.
   */
  static of(
    desired: Desired,
    addresses: readonly string[],
    earlier: PairAccess | null = null,
  ): PairAccess {
    const changed = earlier === null ? null : earlier.#changedTo(desired, addresses);
    return changed ?? PairAccess.#anew(desired, addresses);
  }

  static #anew(desired: Desired, addresses: readonly string[]): PairAccess {
    const pairs = pairRules(desired.ruleset);
    const concerns = holdsOneOf(addresses);
    const mentions = new Mentions(
      desired.ruleset,
      setsOf(pairs),
      (networks, mention, set) => canHold(networks, mention, set) && concerns(networks),
    );
    const shared = { mentions, bases: new Map(), signs: new Map(), known: new Map(), versions: 0 };
    return new PairAccess(desired, addresses, { pairs, index: new PairIndex(pairs), shared });
  }

  #changedTo(desired: Desired, addresses: readonly string[]): PairAccess | null {
    if (desired === this.#desired && this.isAbout(addresses)) return this;
    const shared = this.#shared;
    if (shared.versions >= MAX_VERSIONS || !this.isAbout(addresses)) return null;
    const changes = plainChanges(this.#desired, desired);
    const pairs = changes && pairRules(desired.ruleset);
    if (changes === null || pairs === null || !samePairs(this.#pairs, pairs)) return null;
    const paired = setsOf(pairs);
    const plain = new Map(this.#plain);
    const ends = new Map(this.#ends);
    for (const { table, set, gone, come } of changes) {
      for (const { key: [address] } of [...gone, ...come]) ends.delete(address!);
      if (paired.has(set)) continue;
      const name = `${table} ${set.name}`;
      const said = (address: string) => plain.get(address) ?? shared.mentions.plain(address);
      for (const { key: [address] } of gone) {
        const names = [...said(address!)];
        names.splice(names.indexOf(name), 1);
        plain.set(address!, names);
      }
      for (const { key: [address] } of come) plain.set(address!, [...said(address!), name]);
    }
    shared.versions++;
    const unknown = addresses.filter((address) => !ends.has(address)).length;
    const index = unknown > MAX_WITHOUT_INDEX ? new PairIndex(pairs) : null;
    return new PairAccess(desired, addresses, { pairs, index, shared, plain, ends });
  }

  /** Whether it is about these addresses, in this order. */
  isAbout(addresses: readonly string[]): boolean {
    return addresses.length === this.#addresses.length &&
      addresses.every((address, at) => address === this.#addresses[at]);
  }

  /** Packets that were traced so far. */
  get traces(): number {
    return this.#traces;
  }

  end(address: string): PairEnd {
    let end = this.#ends.get(address);
    if (end === undefined) this.#ends.set(address, end = this.#endOf(address));
    return end;
  }

  answer(from: PairEnd, to: PairEnd): PairAnswer {
    if (to.isTranslated && (from.isOutside || to.isOfUplink)) return this.#trace(from, to);
    const shared = sharedPairs(from, to).join(" ");
    let known = this.#shared.known.get(shared);
    if (known === undefined) this.#shared.known.set(shared, known = new Map());
    const key = from.base * 2 ** 26 + to.base;
    let answer = known.get(key);
    if (answer === undefined) known.set(key, answer = this.#trace(from, to));
    return answer;
  }

  #endOf(address: string): PairEnd {
    const { ruleset } = this.#desired;
    const link = egressLink(this.#desired, address) ?? "";
    const roles = this.#index?.rolesOf(address, link) ?? rolesIn(this.#pairs, address, link);
    const networks = this.#shared.mentions.networks(address);
    const plain = (this.#plain.get(address) ?? this.#shared.mentions.plain(address))
      .filter((name) => !OWN_ONLY.has(name.slice(name.indexOf(" ") + 1)));
    const own = JSON.stringify([
      // A station's own link stands for its access point.
      link.split(".")[0],
      this.#setsOf(link),
      (addressBinding(ruleset, address)?.mac ?? null) === null,
      [...plain].sort(),
    ]);
    const mentions = networks.map(({ sign }) => sign).join();
    const named = (numbers: readonly number[], side: "senders" | "destinations") =>
      numbers.map((number) => this.#pairs[number]![side].name).join();
    const { bases, signs } = this.#shared;
    const traits = `${own} ${named(roles.sends, "senders")} ${
      named(roles.receives, "destinations")
    }`;
    return {
      address,
      ...roles,
      base: numberIn(bases, `${own} ${mentions}`),
      traits,
      sign: numberIn(signs, `${traits} ${mentions}`),
      isTranslated: networks.some((network) => network.isTranslated),
      isOutside: this.#uplinks.has(link),
      isOfUplink: ruleset.tables.some((table) =>
        findSet(table, "uplink_addresses")?.elements.has(address) === true
      ),
    };
  }

  /** Sets of links that this one is in. */
  #setsOf(link: string): readonly string[] {
    let names = this.#linkSets.get(link);
    if (names === undefined) {
      names = (filterTable(this.#desired.ruleset)?.sets ?? [])
        .filter(({ key, elements }) =>
          key.length === 1 && key[0] === "ifname" && elements.has(link)
        )
        .map(({ name }) => name);
      this.#linkSets.set(link, names);
    }
    return names;
  }

  #trace(from: PairEnd, to: PairEnd): PairAnswer {
    this.#traces++;
    const query = { source: from.address, destination: to.address } as const;
    const packet = firstPacket(this.#desired, { ...query, ...PROBE });
    const trace = tracePacket(this.#desired.ruleset, packet);
    return { accepts: trace.verdict === "accept", reason: reasonOf(trace) };
  }
}

/** Numbers texts in the order in which they come, each once. */
function numberIn(known: Map<string, number>, text: string): number {
  let number = known.get(text);
  if (number === undefined) known.set(text, number = known.size);
  return number;
}

function setsOf(pairs: readonly PairRule[]): ReadonlySet<NftSet> {
  return new Set(pairs.flatMap(({ senders, destinations }) => [senders, destinations]));
}

/** Pair rules are of the same chains: their sets tell them apart. */
function samePairs(a: readonly PairRule[], b: readonly PairRule[]): boolean {
  return a.length === b.length &&
    a.every(({ senders, destinations }, at) =>
      senders.name === b[at]!.senders.name && destinations.name === b[at]!.destinations.name
    );
}

/** Whether an element can be about {@link PROBE}: most rules name other ports. */
const canHold: CountsElement = (_, { element }, { key }) =>
  key.every((type, at) => {
    const part = element.key[at]!;
    if (type === "inet_proto") return part === PROBE.protocol;
    if (type !== "inet_service") return true;
    const ports = keyInterval(type, part);
    return ports === null || (ports[0] <= PROBE.dport && ports[1] >= PROBE.dport);
  });
