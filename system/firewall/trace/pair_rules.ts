import { onceEach } from "../../core/config/memo.ts";
import type { Field, Match, NftSet, Rule, Ruleset } from "../../core/kernel/ruleset.ts";

/** A rule that fires only between a sender in one set and a destination in another, as a group's. */
export interface PairRule {
  readonly senders: NftSet;
  readonly destinations: NftSet;
  /** Fields that make a key of the one and of the other. */
  readonly senderFields: readonly Field[];
  readonly destinationFields: readonly Field[];
}

interface LookUp {
  readonly side: "sender" | "destination" | null;
  readonly set: string;
  readonly fields: readonly Field[];
}

const SIDES: Readonly<Partial<Record<Field, "sender" | "destination">>> = {
  "iifname": "sender",
  "ip saddr": "sender",
  "oifname": "destination",
  "ip daddr": "destination",
};

/**
 * The rules whose sets tell nothing of one end alone: whether two ends have one in common is all that
 * matters of those sets. A set that any other rule looks into is not among them. Pure.
 */
export function pairRules(ruleset: Ruleset): readonly PairRule[] {
  return ruleset.tables.flatMap((table) => {
    const sets = new Map(table.sets.map((set) => [set.name, set]));
    const found: PairRule[] = [];
    const elsewhere = new Set<string>();
    for (const rule of table.chains.flatMap(({ rules }) => rules)) {
      const lookUps = lookUpsOf(rule);
      const pair = pairOf(lookUps, sets);
      if (pair === null) { for (const { set } of lookUps) elsewhere.add(set); }
      else found.push(pair);
    }
    return found.filter(({ senders, destinations }) =>
      !elsewhere.has(senders.name) && !elsewhere.has(destinations.name)
    );
  });
}

function pairOf(lookUps: readonly LookUp[], sets: ReadonlyMap<string, NftSet>): PairRule | null {
  if (lookUps.length !== 2) return null;
  const sender = lookUps.find(({ side }) => side === "sender");
  const destination = lookUps.find(({ side }) => side === "destination");
  const senders = sender && sets.get(sender.set);
  const destinations = destination && sets.get(destination.set);
  if (!senders || !destinations || !isUniform(senders) || !isUniform(destinations)) return null;
  return {
    senders,
    destinations,
    senderFields: sender.fields,
    destinationFields: destination.fields,
  };
}

/** Every element says the same, so that it does not matter which one is hit. */
const isUniform = onceEach(({ interval, elements }: NftSet): boolean => {
  const values = new Set([...elements.values()].map(({ value }) => JSON.stringify(value ?? null)));
  return interval !== true && values.size <= 1;
});

function lookUpsOf({ matches, action }: Rule): readonly LookUp[] {
  const looks = matches.filter((match): match is Match & { kind: "in" } => match.kind === "in")
    .map(({ set, fields, not }) => lookUp(set, fields, not ?? false));
  return action.kind === "vmap" || action.kind === "dnat-map"
    ? [...looks, lookUp(action.map, action.fields, action.kind === "dnat-map")]
    : looks;
}

/** A look-up of one side alone; any other kind has no side. */
function lookUp(set: string, fields: readonly Field[], other: boolean): LookUp {
  const sides = new Set(fields.map((field) => SIDES[field] ?? null));
  const [side] = sides;
  return { set, fields, side: other || sides.size !== 1 ? null : side ?? null };
}

/** Numbers of the pair rules that an end may be the sender of, and the destination, in order. */
export interface PairRoles {
  readonly sends: readonly number[];
  readonly receives: readonly number[];
}

/** The pair rules of one address on a link, as {@link PairIndex} finds those of many. */
export function rolesIn(pairs: readonly PairRule[], address: string, link: string): PairRoles {
  const find = (side: (pair: PairRule) => readonly [NftSet, readonly Field[]]) =>
    pairs.flatMap((pair, number) => {
      const [{ elements }, fields] = side(pair);
      return elements.has(endKey(fields, address, link)) ? [number] : NONE;
    });
  return {
    sends: find(({ senders, senderFields }) => [senders, senderFields]),
    receives: find(({ destinations, destinationFields }) => [destinations, destinationFields]),
  };
}

function endKey(fields: readonly Field[], address: string, link: string): string {
  return fields.map((field) => field.endsWith("addr") ? address : link).join(" . ");
}

/** Finds the pair rules that an address takes part in. */
export class PairIndex {
  readonly #senders = new Map<readonly Field[], Map<string, number[]>>();
  readonly #destinations = new Map<readonly Field[], Map<string, number[]>>();

  constructor(pairs: readonly PairRule[]) {
    // Most rules have the same fields.
    const byText = new Map<string, readonly Field[]>();
    const add = (
      index: Map<readonly Field[], Map<string, number[]>>,
      fields: readonly Field[],
      { set, number }: { readonly set: NftSet; readonly number: number },
    ): void => {
      const text = fields.join();
      const same = byText.get(text) ?? fields;
      byText.set(text, same);
      let keys = index.get(same);
      if (keys === undefined) index.set(same, keys = new Map());
      for (const key of set.elements.keys()) {
        const known = keys.get(key);
        if (known) known.push(number);
        else keys.set(key, [number]);
      }
    };
    pairs.forEach(({ senders, destinations, senderFields, destinationFields }, number) => {
      add(this.#senders, senderFields, { set: senders, number });
      add(this.#destinations, destinationFields, { set: destinations, number });
    });
  }

  /** Those of an address on a link. */
  rolesOf(address: string, link: string): PairRoles {
    const find = (index: ReadonlyMap<readonly Field[], ReadonlyMap<string, readonly number[]>>) => {
      const found = [...index].flatMap(([fields, keys]) =>
        keys.get(endKey(fields, address, link)) ?? NONE
      );
      return index.size > 1 ? found.sort((a, b) => a - b) : found;
    };
    return { sends: find(this.#senders), receives: find(this.#destinations) };
  }
}

const NONE: readonly number[] = [];

/** The pair rules that fire from one end to another, in order. */
export function sharedPairs(from: PairRoles, to: PairRoles): readonly number[] {
  let shared: number[] | null = null;
  for (const number of from.sends) {
    if (to.receives.includes(number)) (shared ??= []).push(number);
  }
  return shared ?? NONE;
}
