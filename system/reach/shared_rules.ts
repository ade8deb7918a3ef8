import { onceEach } from "../core/config/memo.ts";
import { parseRange4 } from "../core/net/net.ts";
import type { Mention, NetworkMentions } from "../firewall/trace/mentions.ts";
import type { DeviceClass } from "./matrix_classes.ts";

/** What elements say of two ends that they name, in the same words for any other two. */
type Said = readonly string[];

/** What elements say of a sender, by the network of the destination that they name with it. */
type SenderMentions = readonly (readonly [destination: NetworkMentions, said: Said])[];

/**
 * What rules say of two classes together: the pair rules that fire from the one to the other, and the
 * elements that name both. Most classes share nothing, and are not looked at.
 */
export class SharedRules {
  /** The classes that each pair rule has as destinations, and those in each network. */
  readonly #receivers = new Map<number, DeviceClass[]>();
  readonly #holders = new Map<NetworkMentions, DeviceClass[]>();
  /** The networks that each element names as its destination. */
  readonly #destinations = new Map<Mention, NetworkMentions[]>();
  readonly #known = new Map<NetworkMentions, SenderMentions>();

  constructor(classes: readonly DeviceClass[]) {
    for (const one of classes) {
      for (const number of one.receives) addTo(this.#receivers, number, one);
      for (const network of one.pairNetworks) addTo(this.#holders, network, one);
    }
    for (const network of this.#holders.keys()) {
      for (const mention of network.to) addTo(this.#destinations, mention, network);
    }
  }

  /**
   * For each class with which the sender shares something: what, as a text that is the same for any
   * other two that share the same.
   */
  of(from: DeviceClass): ReadonlyMap<DeviceClass, string> {
    const numbers = new Map<DeviceClass, number[]>();
    for (const number of from.sends) {
      for (const to of this.#receivers.get(number) ?? []) addTo(numbers, to, number);
    }
    const mentions = new Map<DeviceClass, Said>();
    for (const network of from.pairNetworks) {
      for (const [destination, said] of this.#from(network)) {
        for (const to of this.#holders.get(destination) ?? []) {
          const known = mentions.get(to);
          mentions.set(to, known === undefined ? said : [...known, ...said]);
        }
      }
    }
    const shared = new Map<DeviceClass, string>();
    for (const [to, list] of numbers) shared.set(to, list.join(" "));
    for (const [to, said] of mentions) shared.set(to, `${shared.get(to) ?? ""}|${textOf(said)}`);
    return shared;
  }

  /** Each network is looked at once for all destinations that elements name with it. */
  #from(network: NetworkMentions): SenderMentions {
    let known = this.#known.get(network);
    if (known === undefined) {
      const byDestination = new Map<NetworkMentions, string[]>();
      for (const mention of network.from) {
        for (const destination of this.#destinations.get(mention) ?? []) {
          addTo(byDestination, destination, wordsOf(mention));
        }
      }
      this.#known.set(network, known = [...byDestination]);
    }
    return known;
  }
}

function addTo<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

const textOf = onceEach((said: Said): string => [...new Set(said)].sort().join(";"));

/** Of networks only the length of their prefix, by which the most special one is found. */
function wordsOf({ set, element: { key, value } }: Mention): string {
  const parts = key.map((part) => {
    const range = parseRange4(part);
    return range === null ? part : `/${range.prefix}`;
  });
  return `${set} ${parts.join(".")} ${JSON.stringify(value ?? null)}`;
}
