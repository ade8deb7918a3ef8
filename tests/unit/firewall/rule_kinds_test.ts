import assert from "node:assert/strict";
import fc from "fast-check";
import {
  contentOf,
  listOf,
  RULE_KINDS,
  RULE_LISTS,
  type RuleList,
  type RuleOf,
} from "../../../system/firewall/rule_kinds.ts";
import { ruleKindsModule } from "../../../ui/build/rule_kinds.ts";
import { FIELDS } from "../../../ui/pages/firewall/fields.ts";
import { KINDS } from "../../../ui/pages/firewall/kinds.ts";
import { anyRules } from "../../kit/builders/random_rules.ts";

const ROOT = new URL("../../../", import.meta.url);

Deno.test("the committed kinds of rules of the UI are the records", async () => {
  const committed = await Deno.readTextFile(new URL("ui/generated/rule_kinds.ts", ROOT));
  assert.equal(committed, ruleKindsModule());
});

Deno.test("every kind has a form, for the fields of its shape", () => {
  assert.deepEqual(KINDS.map(({ list }) => list).sort(), RULE_LISTS.toSorted());
  for (const list of RULE_LISTS) {
    const fields = FIELDS[list]?.map(({ name }) => name) ?? [];
    // A router port is always tcp.
    const shown = Object.keys(RULE_KINDS[list].shape.shape)
      .filter((field) => list !== "ServicePorts" || field !== "Protocol");
    assert.deepEqual(fields.toSorted(), shown.sort(), list);
  }
});

Deno.test("the UI knows a rule by the content that the API counts it by", () => {
  fc.assert(fc.property(anyRules, (rules) => {
    for (const { list, key } of KINDS) {
      for (const rule of (rules[list] ?? []) as readonly RuleOf<RuleList>[]) {
        assert.equal(key(rule as never), contentOf(list, rule));
      }
    }
  }));
});

Deno.test("a rule is known as one of its kind, or of one whose rules have the same fields and content", () => {
  fc.assert(fc.property(anyRules, (rules) => {
    for (const list of RULE_LISTS) {
      for (const rule of rules[list] ?? []) {
        const found = listOf(rule);
        assert.ok(found !== null);
        const [{ marks, content }, own] = [RULE_KINDS[found], RULE_KINDS[list]];
        assert.deepEqual({ marks, content }, { marks: own.marks, content: own.content });
      }
    }
  }));
});
