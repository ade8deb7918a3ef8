import { isInverted, POLICIES } from "../../system/devices/policies.ts";
import { source } from "./form_rules.ts";

/** Members whose texts people read. */
const WORDS = /^( *"(?:title|chip|description|held|absent)": )(".*"),$/gm;

/** The TypeScript module by which the page knows the policies and their words. */
export function policiesModule(): string {
  const policies = POLICIES.map((policy) => ({
    name: policy.name,
    ...policy.text,
    effect: policy.effect.kind,
    target: "target" in policy.effect ? policy.effect.target : "",
    inverted: isInverted(policy),
    assignable: policy.assignable,
    interfaces: policy.interfaces !== null,
  }));
  return "// Made by ui/build.ts from system/devices/policies.ts. Do not edit.\n" +
    'import { t } from "../text/language.ts";\n\n' +
    `export const policies = ${source(policies).replace(WORDS, "$1t($2),")} as const;\n`;
}
