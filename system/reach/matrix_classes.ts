import type { Config } from "../config.ts";
import type { Desired } from "../core/kernel/desired.ts";
import { formatIpv4, parseIpv4, parseRange4 } from "../core/net/net.ts";
import type { Element, Field, NftSet } from "../core/kernel/ruleset.ts";
import { addressBinding } from "../firewall/trace/lookup.ts";
import { type PairRule, pairRules } from "./pair_rules.ts";

/** An element of a rule about networks, with the set it lies in. */
export interface Mention {
  readonly set: string;
  readonly element: Element;
}

/** Devices that every rule treats alike. */
export interface DeviceClass {
  readonly members: readonly string[];
  /** Address of each member; null where it has no place in the network. */
  readonly addresses: readonly (string | null)[];
  /** Someone switched it off. */
  readonly disabled: boolean;
  /** Elements that name it as the sender, and as the destination. */
  readonly from: ReadonlySet<Mention>;
  readonly to: ReadonlySet<Mention>;
  /** The same for classes that differ in nothing but the pair rules of their members. */
  readonly base: number;
  /** Numbers of the pair rules that it may be the sender of, and the destination, in order. */
  readonly sends: readonly number[];
  readonly receives: readonly number[];
}

interface MentionField {
  readonly mention: Mention;
  /** 0: sender, 1: destination. */
  readonly role: 0 | 1;
  readonly sign: string;
}

/** Everything that sets say of single addresses and of networks. */
class Mentions {
  /** What plain sets say of an address. */
  readonly #plain = new Map<string, string[]>();
  /** By prefix length, then by the network's first address. */
  readonly #networks = new Map<number, Map<number, MentionField[]>>();

  /** `paired`: sets that tell nothing of one end alone. */
  constructor(desired: Desired, paired: ReadonlySet<NftSet>) {
    for (const table of desired.ruleset.tables) {
      for (const set of table.sets) {
        if (paired.has(set)) continue;
        if (set.interval) this.#addIntervals(`${table.name} ${set.name}`, set);
        else if (set.key[0] === "ipv4_addr") this.#addPlain(`${table.name} ${set.name}`, set);
      }
    }
  }

  plain(address: string): readonly string[] {
    return this.#plain.get(address) ?? [];
  }

  networks(address: string): readonly MentionField[] {
    const value = parseIpv4(address);
    if (value === null) return [];
    return [...this.#networks].flatMap(([prefix, nets]) =>
      nets.get(value - value % 2 ** (32 - prefix)) ?? []
    );
  }

  #addPlain(name: string, set: NftSet): void {
    for (const { key } of set.elements.values()) {
      const known = this.#plain.get(key[0]!);
      if (known) known.push(name);
      else this.#plain.set(key[0]!, [name]);
    }
  }

  #addIntervals(name: string, set: NftSet): void {
    const places = set.key.flatMap((type, i) => type === "ipv4_addr" ? [i] : []);
    for (const element of set.elements.values()) {
      const mention = { set: set.name, element };
      places.forEach((at, nth) => {
        const range = parseRange4(element.key[at]!);
        if (range === null) return;
        // Two devices of which a rule says the same, each by its own address, are alike.
        const rest = element.key.map((part, i) => i === at && range.prefix === 32 ? "*" : part);
        const role = places.length > 1 && nth === 0 ? 0 : 1;
        let nets = this.#networks.get(range.prefix);
        if (!nets) this.#networks.set(range.prefix, nets = new Map());
        const field = { mention, role, sign: `${name} ${at} ${rest.join(" . ")}` } as const;
        const known = nets.get(range.first);
        if (known) known.push(field);
        else nets.set(range.first, [field]);
      });
    }
  }
}

/** Pair rules that an address takes part in. */
function placesIn(
  pairs: readonly PairRule[],
  address: string,
  link: string,
): Pick<DeviceClass, "sends" | "receives"> {
  const keyOf = (fields: readonly Field[]): string =>
    fields.map((field) => field.endsWith("addr") ? address : link).join(" . ");
  const sends: number[] = [], receives: number[] = [];
  pairs.forEach(({ senders, destinations, senderFields, destinationFields }, number) => {
    if (senders.elements.has(keyOf(senderFields))) sends.push(number);
    if (destinations.elements.has(keyOf(destinationFields))) receives.push(number);
  });
  return { sends, receives };
}

/** Puts devices that every rule treats alike into one class, in the order of the identities. */
export function deviceClasses(
  identities: readonly string[],
  state: { readonly config: Pick<Config, "devices">; readonly desired: Desired },
): readonly DeviceClass[] {
  const { config, desired } = state;
  const pairs = pairRules(desired.ruleset);
  const mentions = new Mentions(
    desired,
    new Set(pairs.flatMap(({ senders, destinations }) => [senders, destinations])),
  );
  const bases = new Map<string, number>();
  const classes = new Map<
    string,
    {
      members: string[];
      addresses: (string | null)[];
      disabled: boolean;
      from: Set<Mention>;
      to: Set<Mention>;
      base: number;
      sends: readonly number[];
      receives: readonly number[];
    }
  >();
  for (const identity of identities) {
    const device = config.devices[identity];
    const disabled = device !== undefined &&
      (device.DeviceDisabled || device.Policies.includes("disabled"));
    const parsed = device && !disabled ? parseIpv4(device.RecentIP) : null;
    const address = parsed === null ? null : formatIpv4(parsed);
    const bound = address === null ? undefined : addressBinding(desired.ruleset, address);
    const fields = bound ? mentions.networks(address!) : [];
    const baseSign = bound
      ? JSON.stringify([
        // A station's own link stands for its access point.
        bound.link.split(".")[0],
        bound.mac === null,
        [...mentions.plain(address!)].sort(),
        fields.map((field) => field.sign).sort(),
      ])
      : disabled
      ? "disabled"
      : "nowhere";
    const base = bases.get(baseSign) ?? bases.size;
    bases.set(baseSign, base);
    const { sends, receives } = bound
      ? placesIn(pairs, address!, bound.link)
      : { sends: [], receives: [] };
    const sign = `${base} ${sends} ${receives}`;
    let one = classes.get(sign);
    if (!one) {
      const mentioned = { from: new Set<Mention>(), to: new Set<Mention>() };
      one = { members: [], addresses: [], disabled, ...mentioned, base, sends, receives };
      classes.set(sign, one);
    }
    one.members.push(identity);
    one.addresses.push(bound ? address : null);
    for (const { mention, role } of fields) (role === 0 ? one.from : one.to).add(mention);
  }
  return [...classes.values()];
}
