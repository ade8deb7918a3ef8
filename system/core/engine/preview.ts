import type { ChangeOptions, Command, Preview } from "../change.ts";
import { reduce } from "./decide.ts";
import { judgeOwn } from "./lockout.ts";
import { maskPatch } from "./mask.ts";
import type { Parts } from "./parts.ts";

/** What a change would do to what is in force now. Throws what the change itself would throw first. */
export async function previewChange<C, R>(
  command: Command<C, R>,
  options: ChangeOptions,
  parts: Parts<C>,
): Promise<Preview> {
  const { documents, enforcement, inForce, planner } = parts;
  const config = inForce.config;
  const { after, patch } = reduce({ command, options }, config, parts);
  const before = enforcement.desired;
  const observed = options.observe?.(inForce.observed) ?? inForce.observed;
  const moves = patch.length > 0 || observed !== inForce.observed;
  const desired = moves ? enforcement.desire(after, observed) : before;
  const own = await judgeOwn(options.caller, {
    planner,
    routeTo: (source) => enforcement.routeTo(source),
    before,
    after: desired,
  });
  const flips = moves
    ? planner.flips(before, desired, config, after)
    : { gains: [], losses: [], more: 0 };
  return {
    config: maskPatch(patch, (name) => documents[name as keyof C]),
    system: moves ? planner.describe(planner.diff(before, desired)) : [],
    reach: { ...flips, own },
  };
}
