import { withholding } from "../devices/groups/group_schedule.ts";
import { policiesFor, type PolicyTarget } from "../devices/policies.ts";
import { DEFAULT_DROP } from "../firewall/chains/rule.ts";
import type { ReachState } from "./ends.ts";
import type { ReachEnd } from "./schema.ts";

/** Drops by these would not have happened with a policy. */
const BY_DEFAULT: readonly string[] = [DEFAULT_DROP.forward, DEFAULT_DROP.input];

/**
 * Why a connection is blocked that a policy of its sender would allow, if a group did not withhold it
 * outside its times. `comment`: of the rule that decides. Null where no schedule is the reason.
 */
export function closedBySchedule(
  { from, to, port }: { readonly from: ReachEnd; readonly to: ReachEnd; readonly port: string },
  comment: string,
  { config, desired }: ReachState,
): string | null {
  const closed = desired.closedGroups;
  if (closed === undefined || from.identity === null || !BY_DEFAULT.includes(comment)) return null;
  const device = config.devices[from.identity];
  if (device === undefined) return null;
  for (const target of targetsOf(to, port)) {
    for (const { name } of policiesFor("allow", target)) {
      if (!device.Policies.includes(name)) continue;
      const group = withholding(name, device.Groups, closed);
      if (group === undefined) continue;
      return `Blocked: ${from.name} is a member of ${group.title}, which is closed by its schedule ` +
        `until ${group.opens}`;
    }
  }
  return null;
}

/** What policies are about that allow connections to this end. */
function targetsOf(to: ReachEnd, port: string): readonly PolicyTarget[] {
  if (to.kind === "device") return ["lan"];
  if (to.kind === "internet" || to.kind === "address") return ["internet", "upstream-private"];
  return port === "53" ? ["resolver"] : [];
}
