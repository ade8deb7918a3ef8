import * as z from "zod";
import { isRecord } from "../../core/config/json.ts";
import { onceEach } from "../../core/config/memo.ts";
import type { InspectionEntry } from "../../core/kernel/inspection.ts";
import type { NftSet } from "../../core/kernel/ruleset.ts";
import type { Device } from "../../devices/schema.ts";
import { endpointSets } from "../sets/endpoint_sets.ts";
import { blockSets, forwardBlockSets, outputBlockSets } from "../sets/block_sets.ts";
import { contentOf, type RuleList, type RuleOf, textOf } from "../rule_kinds.ts";
import { forwards } from "../sets/forward_sets.ts";
import { baseName } from "../sets/regions.ts";
import type { Firewall } from "../schema.ts";

/** How often packets met a rule since it is in the kernel; null: the kernel does not tell. */
export const RuleCounter = z.object({
  /** Last part of the rule's path in the API, such as `forward`. */
  kind: z.string(),
  /** What the rule says, as the history tells it. */
  rule: z.string(),
  packets: z.int().nullable(),
  bytes: z.int().nullable(),
});
export type RuleCounter = z.output<typeof RuleCounter>;

/** What one element counted. */
export interface Counted {
  readonly packets: number;
  readonly bytes: number;
}

/** What the elements of the counting sets hold, by the set's name without its layer and by key. */
export type Counts = ReadonlyMap<string, ReadonlyMap<string, Counted>>;

/** An element of a counting set. */
interface ElementKey {
  readonly set: string;
  readonly key: string;
}

function elementsIn(sets: readonly NftSet[]): readonly ElementKey[] {
  return sets.flatMap(({ name, elements }) =>
    [...elements.keys()].map((key) => ({ set: baseName(name), key }))
  );
}

/** Devices by each of their tags. */
type ByTag = ReadonlyMap<string, readonly Device[]>;

/** Where a rule would stand if it were alone. */
type ElementsOf<L extends RuleList> = (rule: RuleOf<L>, devices: ByTag) => readonly ElementKey[];

const ELEMENTS: { readonly [L in RuleList]: ElementsOf<L> } = {
  ForwardingRules: onceEach((rule) => elementsIn(forwards([rule]).sets)),
  BlockRules: onceEach((rule) => elementsIn(blockSets([rule]))),
  ForwardingBlockRules: onceEach((rule) => elementsIn(forwardBlockSets([rule]))),
  OutputBlockRules: onceEach((rule) => elementsIn(outputBlockSets([rule]))),
  ServicePorts: ({ Port, UpstreamEnabled }) => [
    { set: "lan_tcp_accept", key: Port },
    ...(UpstreamEnabled ? [{ set: "wan_tcp_accept", key: Port }] : []),
  ],
  MulticastPorts: ({ Port, Upstream }) => [
    { set: "multicast_lan_udp_accept", key: Port },
    ...(Upstream ? [{ set: "multicast_wan_udp_accept", key: Port }] : []),
  ],
  Endpoints: (rule, byTag) => {
    const devices = new Set(rule.Tags.flatMap((tag) => byTag.get(tag) ?? []));
    return elementsIn(endpointSets([...devices].map((device) => ({ device })), [rule]));
  },
  CustomInterfaceRules: ({ Interface, SrcIP, Disabled }) =>
    Disabled ? [] : [{ set: "custom_interfaces", key: `${Interface} . ${SrcIP}` }],
};

/** Kinds of which a rule has elements for devices that may be nowhere at present. */
const PER_DEVICE: ReadonlySet<RuleList> = new Set(["Endpoints"]);

/**
 * What each rule counted; null for one that is merged with others, or has no elements. Endpoints that
 * open the same count together. Yields after each small step.
 */
export function* ruleCounterSteps(
  { firewall, devices }: {
    readonly firewall: Firewall;
    readonly devices: readonly Device[];
  },
  counts: Counts,
): Generator<void, readonly RuleCounter[]> {
  const counters: RuleCounter[] = [];
  const tagged = devices.flatMap((device) => device.DeviceTags.map((tag) => ({ tag, device })));
  const byTag = new Map(
    [...Map.groupBy(tagged, ({ tag }) => tag)]
      .map(([tag, list]) => [tag, list.map(({ device }) => device)] as const),
  );
  yield;
  for (const list of Object.keys(ELEMENTS) as RuleList[]) {
    const elementsOf = ELEMENTS[list] as ElementsOf<RuleList>;
    for (const rule of firewall[list] as readonly RuleOf<RuleList>[]) {
      counters.push({
        kind: textOf(list),
        rule: contentOf(list, rule),
        ...sum(
          elementsOf(rule, byTag).map(({ set, key }) => counts.get(set)?.get(key)),
          PER_DEVICE.has(list),
        ),
      });
      yield;
    }
  }
  return counters;
}

function sum(
  found: readonly (Counted | undefined)[],
  isPerDevice: boolean,
): { readonly packets: number | null; readonly bytes: number | null } {
  const known = found.filter((one) => one !== undefined);
  if (known.length === 0 || (known.length < found.length && !isPerDevice)) {
    return { packets: null, bytes: null };
  }
  return {
    packets: known.reduce((all, { packets }) => all + packets, 0),
    bytes: known.reduce((all, { bytes }) => all + bytes, 0),
  };
}

/** What a counter of `nft -j list` says; null for none. A look by a schema takes most of the time. */
function countedBy(counter: unknown): Counted | null {
  if (!isRecord(counter)) return null;
  const { packets, bytes } = counter;
  return Number.isSafeInteger(packets) && Number.isSafeInteger(bytes)
    ? { packets: packets as number, bytes: bytes as number }
    : null;
}

/**
 * Counted elements by key, of a set or map in the form of `nft -j list`. Yields after each small step.
 */
export function* readCountSteps(
  entries: readonly InspectionEntry[],
): Generator<void, ReadonlyMap<string, Counted>> {
  const counts = new Map<string, Counted>();
  for (const entry of entries) {
    const listed = entry["map"] ?? entry["set"];
    const elements = (listed as { readonly elem?: unknown } | undefined)?.elem;
    if (!Array.isArray(elements)) continue;
    for (const one of elements) {
      const left = Array.isArray(one) ? one[0] : one;
      const { val, counter } = (left as { elem?: { val?: unknown; counter?: unknown } })?.elem ??
        {};
      const count = countedBy(counter);
      if (count !== null) counts.set(keyText(val), count);
      yield;
    }
  }
  return counts;
}

interface JsonPart {
  readonly concat?: readonly unknown[];
  readonly prefix?: { readonly addr: string; readonly len: number };
  readonly range?: readonly unknown[];
}

function keyText(value: unknown): string {
  if (typeof value !== "object" || value === null) return String(value);
  const { concat, prefix, range } = value as JsonPart;
  if (concat) return concat.map(keyText).join(" . ");
  if (prefix) return `${prefix.addr}/${prefix.len}`;
  return range ? range.map(keyText).join("-") : "";
}
