import type { Finding } from "../../core/kernel/host.ts";
import type { RulesetOp } from "../../core/kernel/plan.ts";
import type { Ruleset } from "../../core/kernel/ruleset.ts";
import { diffRulesets } from "../../core/kernel/nft/diff.ts";
import { type IsRestrictive, isUrgent } from "../nft/compare.ts";
import { elementText } from "../../core/kernel/nft/text.ts";

/** How a modelled ruleset differs from what it should be, as the real kernel's is compared. */
export function compareModel(
  wanted: Ruleset,
  found: Ruleset,
  isRestrictive: IsRestrictive,
): readonly Finding[] {
  return diffRulesets(found, wanted).flatMap((op) => findingsOf(op, wanted, isRestrictive));
}

/** The findings that this operation would repair. */
function findingsOf(
  op: RulesetOp,
  wanted: Ruleset,
  isRestrictive: IsRestrictive,
): readonly Finding[] {
  if (op.op === "add-table") {
    const what = `table ${op.table.family} ${op.table.name}`;
    return [{ what, expected: "the table", found: null, urgent: true }];
  }
  const table = `${op.family} ${op.table}`;
  switch (op.op) {
    case "delete-table":
      return [{ what: `table ${table}`, expected: null, found: "a table", urgent: false }];
    case "add-elements":
    case "delete-elements": {
      const set = wanted.tables
        .find(({ family, name }) => `${family} ${name}` === table)
        ?.sets.find(({ name }) => name === op.set);
      if (set === undefined) return [];
      const what = `${set.value === undefined ? "set" : "map"} ${table} ${set.name}`;
      const more = op.op === "delete-elements";
      const urgent = isUrgent(set, more, isRestrictive);
      return op.elements.map((element): Finding => {
        const text = elementText(element, set);
        return { what, expected: more ? null : text, found: more ? text : null, urgent };
      });
    }
    default: {
      const name = typeof op === "object" && "chain" in op ? op.chain : op.set;
      const what = `${table} ${typeof name === "string" ? name : name.name}`;
      return [{ what, expected: "as it was loaded", found: "something else", urgent: true }];
    }
  }
}
