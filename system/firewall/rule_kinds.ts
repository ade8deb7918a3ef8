import type * as z from "zod";
import { isRecord } from "../core/config/json.ts";
import { onceEach } from "../core/config/memo.ts";
import { canonicalPorts } from "./address_schema.ts";
import {
  BlockRule,
  CustomInterfaceRule,
  Endpoint,
  ForwardingBlockRule,
  ForwardingRule,
  MulticastPort,
  OutputBlockRule,
  ServicePort,
} from "./rule_schema.ts";

/** A kind of rule: a list of the firewall document. */
interface RuleKind<Shape extends z.ZodType, Path extends string> {
  /** Shape of one rule. */
  readonly shape: Shape;
  /** Path of its PUT and DELETE. */
  readonly path: Path;
  /** One of them, for people. */
  readonly noun: string;
  /**
   * What makes two rules the same, whatever else they say: `{Field}` is its value, a list in order
   * with commas between; a part in brackets is left out where its list is empty.
   */
  readonly content: string;
  /** Fields that only rules of this kind have; of several kinds, the one with the most is meant. */
  readonly marks: readonly (keyof z.output<Shape>)[];
  /** Fields that name clients; the other addresses of a rule are the router's own. */
  readonly clients: readonly (keyof z.output<Shape>)[];
}

function kind<Shape extends z.ZodType, const Path extends string>(
  record: RuleKind<Shape, Path>,
): RuleKind<Shape, Path> {
  return record;
}

/** The kinds of rules by their lists in the firewall document, in the order of that document. */
export const RULE_KINDS = {
  ForwardingRules: kind({
    shape: ForwardingRule,
    path: "/firewall/forward",
    noun: "port forward",
    content: "{Protocol} {SrcIP} {SrcPort} to {DstIP} {DstPort}[ from {From}]",
    marks: ["SrcPort", "DstPort", "From"],
    clients: ["DstIP", "From"],
  }),
  BlockRules: kind({
    shape: BlockRule,
    path: "/firewall/block",
    noun: "block",
    content: "{Protocol} {SrcIP} to {DstIP}",
    marks: ["SrcIP", "DstIP"],
    clients: ["SrcIP", "DstIP"],
  }),
  OutputBlockRules: kind({
    shape: OutputBlockRule,
    path: "/firewall/block_output",
    noun: "output block",
    content: "{Protocol} {SrcIP} to {DstIP} {DstPort}",
    marks: ["SrcIP", "DstIP", "DstPort"],
    clients: ["DstIP"],
  }),
  ForwardingBlockRules: kind({
    shape: ForwardingBlockRule,
    path: "/firewall/block_forward",
    noun: "forward block",
    content: "{Protocol} {SrcIP} to {DstIP} {DstPort}",
    marks: ["SrcIP", "DstIP", "DstPort"],
    clients: ["SrcIP", "DstIP"],
  }),
  CustomInterfaceRules: kind({
    shape: CustomInterfaceRule,
    path: "/firewall/custom_interface",
    noun: "rule for an interface",
    content: "{Interface} {SrcIP} via {RouteDst} policies {Policies} groups {Groups} tags {Tags}",
    marks: ["Interface", "RouteDst"],
    clients: [],
  }),
  ServicePorts: kind({
    shape: ServicePort,
    path: "/firewall/service_port",
    noun: "router port",
    content: "{Protocol} {Port}",
    marks: ["UpstreamEnabled"],
    clients: [],
  }),
  Endpoints: kind({
    shape: Endpoint,
    path: "/firewall/endpoint",
    noun: "endpoint",
    content: "{RuleName}",
    marks: ["RuleName", "Tags", "Domain"],
    clients: ["IP"],
  }),
  MulticastPorts: kind({
    shape: MulticastPort,
    path: "/firewall/multicast",
    noun: "multicast port",
    content: "{Port}",
    marks: ["Upstream"],
    clients: [],
  }),
};

/** Name of a list of the firewall document. */
export type RuleList = keyof typeof RULE_KINDS;

/** A rule of one of the lists. */
export type RuleOf<L extends RuleList> = Rules[L];

/** The lists of the firewall document alone. */
export type RuleLists = { [L in RuleList]: RuleOf<L>[] };

type Rules = { [L in RuleList]: z.output<(typeof RULE_KINDS)[L]["shape"]> };

/** Every list, in the order of the document. */
export const RULE_LISTS = Object.keys(RULE_KINDS) as [RuleList, ...RuleList[]];

/** An object with a member for each list. */
export function byList<Members extends { readonly [L in RuleList]: unknown }>(
  member: (list: RuleList) => Members[RuleList],
): Members {
  return Object.fromEntries(RULE_LISTS.map((list) => [list, member(list)])) as Members;
}

/** The kind in one word, as counters and the change history call it: the last part of its path. */
export function textOf(list: RuleList): string {
  return RULE_KINDS[list].path.split("/").at(-1)!;
}

/** The list that an element of the document belongs to; null for none. */
export function listOf(element: object): RuleList | null {
  return BY_MARKS.find((list) => RULE_KINDS[list].marks.every((field) => field in element)) ?? null;
}

const BY_MARKS = RULE_LISTS.toSorted((a, b) =>
  RULE_KINDS[b].marks.length - RULE_KINDS[a].marks.length
);

function fieldText(field: string, value: unknown): string {
  if (Array.isArray(value)) return [...new Set(value)].sort().join(",");
  return field.endsWith("Port") ? canonicalPorts(String(value)) : String(value);
}

function fill(template: string, rule: object): string {
  const fields = rule as Readonly<Record<string, unknown>>;
  return template
    .replace(
      /\[([^\]]*\{(\w+)\}[^\]]*)\]/g,
      (_, part, field) => (fields[field] as readonly unknown[]).length === 0 ? "" : part,
    )
    .replace(/\{(\w+)\}/g, (_, field) => fieldText(field, fields[field]));
}

const CONTENT = byList<{ readonly [L in RuleList]: (rule: object) => string }>((list) =>
  onceEach((rule) => fill(RULE_KINDS[list].content, rule))
);

/**
 * What a rule does, as one text: rules of a kind with equal texts are equal, whatever their names,
 * descriptions and spelling. Where a rule is set by its name or port, that is the text.
 */
export function contentOf<L extends RuleList>(list: L, rule: RuleOf<L>): string {
  return CONTENT[list](rule as object);
}

/** Name of a rule among its neighbours: what it does, or the name or port that it is set by. */
export function keyOf(element: unknown): string {
  if (!isRecord(element)) return JSON.stringify(element);
  const list = listOf(element);
  if (list === null) return JSON.stringify(element);
  try {
    return contentOf(list, element as RuleOf<typeof list>);
  } catch {
    return JSON.stringify(element);
  }
}

/** What a custom interface rule is about: no two rules may say different things of it. */
export function customRuleKey(
  rule: Pick<CustomInterfaceRule, "Interface" | "SrcIP" | "RouteDst">,
): string {
  return `${rule.Interface} ${rule.SrcIP} via ${rule.RouteDst}`;
}
