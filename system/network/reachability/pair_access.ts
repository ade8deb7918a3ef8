import type { Desired } from "../../core/kernel/desired.ts";
import { POLICIES } from "../../devices/policies.ts";
import { keyInterval } from "../../firewall/trace/key_interval.ts";
import { addressBinding, filterTable, findSet } from "../../firewall/trace/lookup.ts";
import { type CountsElement, holdsOneOf, Mentions } from "../../firewall/trace/mentions.ts";
import {
  PairIndex,
  type PairRoles,
  pairRules,
  sharedPairs,
} from "../../firewall/trace/pair_rules.ts";
import { tracePacket } from "../../firewall/trace/trace.ts";
import { reasonOf } from "./access_change_list.ts";
import { egressLink, firstPacket, uplinksOf } from "./packet.ts";

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
  /** What else rules about networks say of it. */
  readonly mentions: string;
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

/**
 * Access between devices in one state. Two ends are traced once for their bases and the pair rules
 * that they share, such as groups: thousands of devices have few of these.
 */
export class PairAccess {
  readonly #desired: Desired;
  readonly #addresses: readonly string[];
  readonly #pairs: ReturnType<typeof pairRules>;
  readonly #index: PairIndex;
  readonly #mentions: Mentions;
  readonly #uplinks: ReadonlySet<string>;
  readonly #linkSets = new Map<string, readonly string[]>();
  readonly #ends = new Map<string, PairEnd>();
  readonly #bases = new Map<string, number>();
  /** By base of the one, base of the other, and the pair rules that they share. */
  readonly #known = new Map<string, Map<number, PairAnswer>>();
  #traces = 0;

  /** `addresses`: all that are looked up. */
  constructor(desired: Desired, addresses: readonly string[]) {
    this.#desired = desired;
    this.#addresses = addresses;
    this.#pairs = pairRules(desired.ruleset);
    this.#index = new PairIndex(this.#pairs);
    const paired = new Set(
      this.#pairs.flatMap(({ senders, destinations }) => [senders, destinations]),
    );
    const concerns = holdsOneOf(addresses);
    this.#mentions = new Mentions(
      desired.ruleset,
      paired,
      (networks, mention, set) => canHold(networks, mention, set) && concerns(networks),
    );
    this.#uplinks = new Set(uplinksOf(desired.ruleset));
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
    let known = this.#known.get(shared);
    if (known === undefined) this.#known.set(shared, known = new Map());
    const key = from.base * 2 ** 26 + to.base;
    let answer = known.get(key);
    if (answer === undefined) known.set(key, answer = this.#trace(from, to));
    return answer;
  }

  #endOf(address: string): PairEnd {
    const { ruleset } = this.#desired;
    const link = egressLink(this.#desired, address) ?? "";
    const roles = this.#index.rolesOf(address, link);
    const networks = this.#mentions.networks(address);
    const plain = this.#mentions.plain(address)
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
    return {
      address,
      ...roles,
      base: this.#numberOf(`${own} ${mentions}`),
      traits: `${own} ${named(roles.sends, "senders")} ${named(roles.receives, "destinations")}`,
      mentions,
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

  #numberOf(sign: string): number {
    const number = this.#bases.get(sign) ?? this.#bases.size;
    this.#bases.set(sign, number);
    return number;
  }
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
