import type { Config } from "../config.ts";
import type { Desired } from "../core/kernel/desired.ts";
import { formatIpv4, parseIpv4 } from "../core/net/net.ts";
import { addressBinding } from "../firewall/trace/lookup.ts";
import {
  holdsOneOf,
  type Mention,
  Mentions,
  type NetworkMentions,
} from "../firewall/trace/mentions.ts";
import { PairIndex, pairRules } from "../firewall/trace/pair_rules.ts";

/** Devices that every rule treats alike. */
export interface DeviceClass {
  readonly members: readonly string[];
  /** Address of each member; null where it has no place in the network. */
  readonly addresses: readonly (string | null)[];
  /** Someone switched it off. */
  readonly disabled: boolean;
  /** What rules say of networks that it is in. */
  readonly networks: ReadonlySet<NetworkMentions>;
  /** The same for classes that differ in nothing but the pair rules of their members. */
  readonly base: number;
  /** The same for classes whose members are alike towards each other, but for what names two of them. */
  readonly pairBase: number;
  /** The same of rules alone that name two devices. */
  readonly pairNetworks: ReadonlySet<NetworkMentions>;
  /** Numbers of the pair rules that it may be the sender of, and the destination, in order. */
  readonly sends: readonly number[];
  readonly receives: readonly number[];
}

/** Devices that are looked at without a pause. */
const DEVICES_PER_STEP = 50;

/**
 * Puts devices that every rule treats alike into one class, in the order of the identities. Yields
 * after each small step.
 */
export function* deviceClasses(
  identities: readonly string[],
  state: { readonly config: Pick<Config, "devices">; readonly desired: Desired },
): Generator<void, readonly DeviceClass[]> {
  const { config, desired } = state;
  const pairs = pairRules(desired.ruleset);
  const index = new PairIndex(pairs);
  const paired = new Set(pairs.flatMap(({ senders, destinations }) => [senders, destinations]));
  yield;
  const mentions = new Mentions(desired.ruleset, paired);
  yield;
  const isAboutThem = holdsOneOf(
    identities.flatMap((identity) => config.devices[identity]?.RecentIP || []),
  );
  const about = (ends: 1 | 2): Mentions =>
    new Mentions(
      desired.ruleset,
      paired,
      (networks) => networks.length === ends && isAboutThem(networks),
    );
  const alone = about(1);
  yield;
  const ofTwo = about(2);
  const bases = new Map<string, number>(), pairBases = new Map<string, number>();
  const classes = new Map<
    string,
    {
      members: string[];
      addresses: (string | null)[];
      disabled: boolean;
      networks: Set<NetworkMentions>;
      base: number;
      pairBase: number;
      pairNetworks: Set<NetworkMentions>;
      sends: readonly number[];
      receives: readonly number[];
    }
  >();
  for (const [at, identity] of identities.entries()) {
    if (at % DEVICES_PER_STEP === 0) yield;
    const device = config.devices[identity];
    const disabled = device !== undefined &&
      (device.DeviceDisabled || device.Policies.includes("disabled"));
    const parsed = device && !disabled ? parseIpv4(device.RecentIP) : null;
    const address = parsed === null ? null : formatIpv4(parsed);
    const bound = address === null ? undefined : addressBinding(desired.ruleset, address);
    const networks = bound ? mentions.networks(address!) : [];
    const signOf = (networks: readonly NetworkMentions[]): string =>
      bound
        ? JSON.stringify([
          // A station's own link stands for its access point.
          bound.link.split(".")[0],
          bound.mac === null,
          [...mentions.plain(address!)].sort(),
          networks.map(({ sign }) => sign),
        ])
        : disabled
        ? "disabled"
        : "nowhere";
    const base = numberOf(signOf(networks), bases);
    const pairBase = numberOf(signOf(bound ? alone.networks(address!) : []), pairBases);
    const { sends, receives } = bound
      ? index.rolesOf(address!, bound.link)
      : { sends: [], receives: [] };
    const sign = `${base} ${sends} ${receives}`;
    let one = classes.get(sign);
    if (!one) {
      const mentioned = {
        networks: new Set<NetworkMentions>(),
        pairNetworks: new Set<NetworkMentions>(),
      };
      const alike = { base, pairBase, sends, receives };
      one = { members: [], addresses: [], disabled, ...mentioned, ...alike };
      classes.set(sign, one);
    }
    one.members.push(identity);
    one.addresses.push(bound ? address : null);
    for (const network of networks) one.networks.add(network);
    for (const network of bound ? ofTwo.networks(address!) : []) one.pairNetworks.add(network);
  }
  return [...classes.values()];
}

/** Numbers texts in the order in which they come, each once. */
function numberOf(text: string, known: Map<string, number>): number {
  const number = known.get(text) ?? known.size;
  known.set(text, number);
  return number;
}

/** Elements that name the one as the sender and the other as the destination. */
export function sharedElements(
  from: ReadonlySet<NetworkMentions>,
  to: ReadonlySet<NetworkMentions>,
): readonly Mention[] {
  let shared: Mention[] | null = null;
  for (const sender of from) {
    if (sender.from.size === 0) continue;
    for (const destination of to) {
      const [few, many] = sender.from.size < destination.to.size
        ? [sender.from, destination.to]
        : [destination.to, sender.from];
      for (const mention of few) if (many.has(mention)) (shared ??= []).push(mention);
    }
  }
  return shared ?? NONE;
}

const NONE: readonly Mention[] = [];
