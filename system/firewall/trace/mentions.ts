import { parseIpv4, parseRange4, type Range4 } from "../../core/net/net.ts";
import type { Element, NftSet, Ruleset } from "../../core/kernel/ruleset.ts";

/** An element of a rule about networks, with the set it lies in. */
export interface Mention {
  readonly set: string;
  readonly element: Element;
}

/** Whether an element with these networks is looked at. */
export type CountsElement = (
  networks: readonly Range4[],
  mention: Mention,
  set: NftSet,
) => boolean;

/** What a rule about networks says of an address. */
interface MentionField {
  readonly mention: Mention;
  /** 0: sender, 1: destination. */
  readonly role: 0 | 1;
  readonly sign: string;
}

/** What rules say of one network, and so of every address in it. */
export interface NetworkMentions {
  /** Elements that name it as the sender, and as the destination. */
  readonly from: ReadonlySet<Mention>;
  readonly to: ReadonlySet<Mention>;
  /** A rule sends elsewhere what is meant for it. */
  readonly isTranslated: boolean;
  /** The same for networks of which rules say the same. */
  readonly sign: number;
}

/** Everything that sets say of single addresses and of networks. */
export class Mentions {
  /** What plain sets say of an address. */
  readonly #plain = new Map<string, string[]>();
  /** By prefix length, then by the network's first address. */
  readonly #fields = new Map<number, Map<number, MentionField[]>>();
  readonly #networks = new WeakMap<readonly MentionField[], NetworkMentions>();
  readonly #signs = new Map<string, number>();

  /**
   * `paired`: sets that tell nothing of one end alone. `counts`: whether an element of networks is
   * looked at; default all of them.
   */
  constructor(
    ruleset: Ruleset,
    paired: ReadonlySet<NftSet>,
    counts: CountsElement = () => true,
  ) {
    for (const table of ruleset.tables) {
      for (const set of table.sets) {
        if (paired.has(set)) continue;
        if (set.interval) this.#addIntervals(`${table.name} ${set.name}`, set, counts);
        else if (set.key[0] === "ipv4_addr") this.#addPlain(`${table.name} ${set.name}`, set);
      }
    }
  }

  plain(address: string): readonly string[] {
    return this.#plain.get(address) ?? [];
  }

  /** The networks that hold an address, in an order that is the same for all addresses. */
  networks(address: string): readonly NetworkMentions[] {
    const value = parseIpv4(address);
    if (value === null) return [];
    const found: NetworkMentions[] = [];
    for (const [prefix, nets] of this.#fields) {
      const fields = nets.get(value - value % 2 ** (32 - prefix));
      if (fields !== undefined) found.push(this.#network(fields));
    }
    return found;
  }

  #network(fields: readonly MentionField[]): NetworkMentions {
    let network = this.#networks.get(fields);
    if (network !== undefined) return network;
    const of = (side: 0 | 1): readonly Mention[] =>
      fields.filter(({ role }) => role === side).map(({ mention }) => mention);
    const to = new Set(of(1));
    // Thousands of rules may be about every address: what they say is compared once.
    const text = JSON.stringify(fields.map(({ sign }) => sign).sort());
    const sign = this.#signs.get(text) ?? this.#signs.size;
    this.#signs.set(text, sign);
    const isTranslated = [...to].some(({ element }) => Array.isArray(element.value));
    this.#networks.set(fields, network = { from: new Set(of(0)), to, isTranslated, sign });
    return network;
  }

  #addPlain(name: string, set: NftSet): void {
    for (const { key } of set.elements.values()) {
      const known = this.#plain.get(key[0]!);
      if (known) known.push(name);
      else this.#plain.set(key[0]!, [name]);
    }
  }

  #addIntervals(
    name: string,
    set: NftSet,
    counts: CountsElement,
  ): void {
    const positions = set.key.flatMap((type, i) => type === "ipv4_addr" ? [i] : []);
    for (const element of set.elements.values()) {
      const mention = { set: set.name, element };
      const ranges = positions.map((at) => parseRange4(element.key[at]!));
      if (!counts(ranges.filter((range) => range !== null), mention, set)) continue;
      positions.forEach((at, nth) => {
        const range = ranges[nth] ?? null;
        if (range === null) return;
        // Two devices of which a rule says the same, each by its own address, are alike.
        const rest = element.key.map((part, i) => i === at && range.prefix === 32 ? "*" : part);
        const role = positions.length > 1 && nth === 0 ? 0 : 1;
        let nets = this.#fields.get(range.prefix);
        if (!nets) this.#fields.set(range.prefix, nets = new Map());
        const field = { mention, role, sign: `${name} ${at} ${rest.join(" . ")}` } as const;
        const known = nets.get(range.first);
        if (known) known.push(field);
        else nets.set(range.first, [field]);
      });
    }
  }
}

/** True for elements that can be about two of these addresses: each of their networks holds one. */
export function holdsOneOf(addresses: readonly string[]): (networks: readonly Range4[]) => boolean {
  const sorted = Float64Array.from(addresses.flatMap((address) => parseIpv4(address) ?? [])).sort();
  const holds = ({ first, last }: Range4): boolean => {
    let low = 0, high = sorted.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sorted[middle]! < first) low = middle + 1;
      else high = middle;
    }
    return low < sorted.length && sorted[low]! <= last;
  };
  return (networks) => networks.every(holds);
}
