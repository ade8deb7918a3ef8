import type { KernelStep, RulesetOp } from "../../core/kernel/plan.ts";
import type { IsRestrictive } from "../nft/compare.ts";

/** True for a step that may take access away; a step that only gives elements to sets does not. */
export function mayNarrow(step: KernelStep, isRestrictive: IsRestrictive): boolean {
  if (step.kind === "load") return true;
  return step.kind === "ruleset" && step.ops.some((op) => narrows(op, isRestrictive));
}

function narrows(op: RulesetOp, isRestrictive: IsRestrictive): boolean {
  switch (op.op) {
    case "add-elements":
      return isRestrictive(op.set);
    case "delete-elements":
      return !isRestrictive(op.set);
    case "add-set":
      return false;
    default:
      // What other rules mean for access is not worked out here.
      return true;
  }
}
