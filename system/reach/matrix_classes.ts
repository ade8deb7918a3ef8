import type { Config } from "../config.ts";
import type { Desired } from "../core/kernel/desired.ts";
import { onceEach } from "../core/config/memo.ts";
import { formatIpv4, parseIpv4, parseRange4 } from "../core/net/net.ts";
import { addressBinding } from "../firewall/trace/lookup.ts";
import {
  holdsOneOf,
  type Mention,
  type MentionField,
  Mentions,
} from "../firewall/trace/mentions.ts";
import { PairIndex, pairRules } from "../firewall/trace/pair_rules.ts";

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
  /** The same for classes whose members are alike towards each other, but for what names two of them. */
  readonly pairBase: number;
  /** Elements that name two devices, this one as the sender and as the destination, with what they say. */
  readonly pairFrom: ReadonlyMap<Mention, string>;
  readonly pairTo: ReadonlyMap<Mention, string>;
  /** Numbers of the pair rules that it may be the sender of, and the destination, in order. */
  readonly sends: readonly number[];
  readonly receives: readonly number[];
}

/** Puts devices that every rule treats alike into one class, in the order of the identities. */
export function deviceClasses(
  identities: readonly string[],
  state: { readonly config: Pick<Config, "devices">; readonly desired: Desired },
): readonly DeviceClass[] {
  const { config, desired } = state;
  const pairs = pairRules(desired.ruleset);
  const index = new PairIndex(pairs);
  const paired = new Set(pairs.flatMap(({ senders, destinations }) => [senders, destinations]));
  const mentions = new Mentions(desired.ruleset, paired);
  const isAboutThem = holdsOneOf(
    identities.flatMap((identity) => config.devices[identity]?.RecentIP || []),
  );
  const [alone, ofTwo] = [1, 2].map((ends) =>
    new Mentions(
      desired.ruleset,
      paired,
      (networks) => networks.length === ends && isAboutThem(networks),
    )
  ) as [Mentions, Mentions];
  const bases = new Map<string, number>(), pairBases = new Map<string, number>();
  const classes = new Map<
    string,
    {
      members: string[];
      addresses: (string | null)[];
      disabled: boolean;
      from: Set<Mention>;
      to: Set<Mention>;
      base: number;
      pairBase: number;
      pairFrom: Map<Mention, string>;
      pairTo: Map<Mention, string>;
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
    const signOf = (fields: readonly MentionField[]): string =>
      bound
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
    const base = numberOf(signOf(fields), bases);
    const pairBase = numberOf(signOf(bound ? alone.networks(address!) : []), pairBases);
    const { sends, receives } = bound
      ? index.rolesOf(address!, bound.link)
      : { sends: [], receives: [] };
    const sign = `${base} ${sends} ${receives}`;
    let one = classes.get(sign);
    if (!one) {
      const mentioned = {
        ...{ from: new Set<Mention>(), to: new Set<Mention>() },
        ...{ pairFrom: new Map<Mention, string>(), pairTo: new Map<Mention, string>() },
      };
      const alike = { base, pairBase, sends, receives };
      one = { members: [], addresses: [], disabled, ...mentioned, ...alike };
      classes.set(sign, one);
    }
    one.members.push(identity);
    one.addresses.push(bound ? address : null);
    for (const { mention, role } of fields) (role === 0 ? one.from : one.to).add(mention);
    for (const { mention, role } of bound ? ofTwo.networks(address!) : []) {
      (role === 0 ? one.pairFrom : one.pairTo).set(mention, said(mention));
    }
  }
  return [...classes.values()];
}

/** Numbers texts in the order in which they come, each once. */
function numberOf(text: string, known: Map<string, number>): number {
  const number = known.get(text) ?? known.size;
  known.set(text, number);
  return number;
}

/** What elements say of two ends that they name, in the same words for any other two. */
export function sharedMentions({ pairFrom }: DeviceClass, { pairTo }: DeviceClass): string {
  if (pairFrom.size === 0 || pairTo.size === 0) return "";
  const [few, many] = pairFrom.size < pairTo.size ? [pairFrom, pairTo] : [pairTo, pairFrom];
  const shared = new Set<string>();
  for (const [mention, words] of few) if (many.has(mention)) shared.add(words);
  return [...shared].sort().join(";");
}

/** Of networks only the length of their prefix, by which the most special one is found. */
const said = onceEach(({ set, element: { key, value } }: Mention): string =>
  `${set} ${
    key.map((part) => parseRange4(part) === null ? part : `/${parseRange4(part)!.prefix}`).join(".")
  } ${JSON.stringify(value ?? null)}`
);
