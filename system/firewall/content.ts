import { onceEach } from "../core/config/memo.ts";
import { canonicalPorts } from "./address_schema.ts";
import type {
  BlockRule,
  CustomInterfaceRule,
  Firewall,
  ForwardingBlockRule,
  ForwardingRule,
  RuleList,
} from "./schema.ts";

/** An entry of one of the firewall's lists. */
export type RuleOf<L extends RuleList> = Firewall[L][number];

function list(words: readonly string[]): string {
  return [...new Set(words)].sort().join(",");
}

/**
 * What each kind of rule does, as one text: rules with equal texts are equal, whatever their names,
 * descriptions and spelling. Where a rule is set by its name or port, that is the text.
 */
const CONTENT: { readonly [L in RuleList]: (rule: RuleOf<L>) => string } = {
  ForwardingRules: (rule: ForwardingRule): string => {
    const from = rule.From.length === 0 ? "" : ` from ${list(rule.From)}`;
    return `${rule.Protocol} ${rule.SrcIP} ${canonicalPorts(rule.SrcPort)} to ${rule.DstIP} ` +
      `${canonicalPorts(rule.DstPort)}${from}`;
  },
  BlockRules: (rule: BlockRule): string => `${rule.Protocol} ${rule.SrcIP} to ${rule.DstIP}`,
  ForwardingBlockRules: blocked,
  OutputBlockRules: blocked,
  CustomInterfaceRules: (rule: CustomInterfaceRule): string =>
    `${place(rule)} policies ${list(rule.Policies)} groups ${list(rule.Groups)} ` +
    `tags ${list(rule.Tags)}`,
  ServicePorts: (rule) => `${rule.Protocol} ${rule.Port}`,
  Endpoints: (rule) => rule.RuleName,
  MulticastPorts: (rule) => rule.Port,
};

function blocked(rule: ForwardingBlockRule): string {
  return `${rule.Protocol} ${rule.SrcIP} to ${rule.DstIP} ${canonicalPorts(rule.DstPort)}`;
}

/** What a custom interface rule is about: no two rules may say different things of it. */
export function place(
  rule: Pick<CustomInterfaceRule, "Interface" | "SrcIP" | "RouteDst">,
): string {
  return `${rule.Interface} ${rule.SrcIP} via ${rule.RouteDst}`;
}

const TEXTS = Object.fromEntries(
  Object.entries(CONTENT).map(([name, text]) => [name, onceEach(text as (rule: object) => string)]),
);

/** The text of {@link CONTENT} of one rule. */
export function contentOf<L extends RuleList>(name: L, rule: RuleOf<L>): string {
  return TEXTS[name]!(rule);
}
