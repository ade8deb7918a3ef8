import { byList, RULE_KINDS, type RuleList, textOf } from "../../system/firewall/rule_kinds.ts";
import { source } from "./form_rules.ts";

/** The TypeScript module by which the page knows the kinds of firewall rules. */
export function ruleKindsModule(): string {
  const kinds = byList<{ readonly [L in RuleList]: object }>((list) => {
    return { path: textOf(list), content: RULE_KINDS[list].content };
  });
  return "// Made by ui/build.ts from system/firewall/rule_kinds.ts. Do not edit.\n" +
    `export const ruleKinds = ${source(kinds)} as const;\n`;
}
