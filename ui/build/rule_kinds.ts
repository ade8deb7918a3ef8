import { byList, RULE_KINDS, type RuleList, textOf } from "../../system/firewall/rule_kinds.ts";
import { source } from "./form_rules.ts";

/** The TypeScript module by which the page knows the kinds of firewall rules. */
export function ruleKindsModule(): string {
  const kinds = byList<{ readonly [L in RuleList]: object }>((list) => {
    const { noun, content } = RULE_KINDS[list];
    return { path: textOf(list), noun, content };
  });
  return "// Made by ui/build.ts from system/firewall/rule_kinds.ts. Do not edit.\n" +
    'import { t } from "../text/language.ts";\n\n' +
    `export const ruleKinds = ${
      source(kinds).replace(/^( *"noun": )(".*"),$/gm, "$1t($2),")
    } as const;\n`;
}
