import type { ChangeOptions, Command, Preview, Refusal } from "./change.ts";
import { guardRefusals, isUnguarded, reduce, windowRefusal } from "./decide.ts";
import { judgeOwn, lockout, type LockoutQuestion } from "./kernel/lockout.ts";
import { maskPatch } from "./journal/mask.ts";
import { ownAddresses } from "../net/own_addresses.ts";
import { ownPathChange, refusePathChange } from "./kernel/own_path.ts";
import type { Parts } from "./parts.ts";
import type { Problem } from "../errors/problem.ts";

/** A change that is asked about. */
export interface Asked<C, R> {
  readonly command: Command<C, R>;
  readonly options: ChangeOptions;
  /** Id of the change that this one undoes. */
  readonly undoes?: string;
}

/** What a change would do to what is in force now. Throws what the change itself would throw first. */
export async function previewChange<C, R>(asked: Asked<C, R>, parts: Parts<C>): Promise<Preview> {
  const { documents, enforcement, inForce, planner } = parts;
  const { options } = asked;
  const config = inForce.config;
  const { after, patch } = reduce(asked, config, parts);
  const before = enforcement.desired;
  const observed = options.observe?.(inForce.observed) ?? inForce.observed;
  const moves = patch.length > 0 || observed !== inForce.observed;
  const desired = moves ? enforcement.desire(after, observed) : before;
  const question = {
    planner,
    routeTo: (source: string) => enforcement.routeTo(source),
    before,
    after: desired,
  };
  const own = await judgeOwn(options.caller, question);
  const flips = moves
    ? planner.accessChanges(before, desired, config, after)
    : { allowed: [], denied: [], more: 0 };
  const refusals = await refusalsOf(
    { job: asked, before: config, after, seenBefore: inForce.observed, seenAfter: observed },
    { patched: patch.length > 0, question, parts },
  );
  return {
    config: maskPatch(patch, (name) => documents[name as keyof C]),
    system: moves ? planner.describe(planner.diff(before, desired)) : [],
    addresses: ownAddresses(desired),
    reach: { ...flips, own },
    refusals,
  };
}

/** All that would refuse it, in the order in which the change itself would meet it. */
async function refusalsOf<C>(
  change: Parameters<typeof guardRefusals<C>>[0],
  { patched, question, parts }: {
    readonly patched: boolean;
    readonly question: LockoutQuestion<C>;
    readonly parts: Parts<C>;
  },
): Promise<readonly Refusal[]> {
  const { job } = change;
  const window = windowRefusal(job, parts.window);
  const found = window === null ? [] : [told("window", window)];
  if (!patched || isUnguarded(job)) return found;
  const known = { ...parts, enforcement: knowing(change.after, question.after, parts) };
  for (const problem of guardRefusals(change, known)) found.push(told("guard", problem));
  const { caller } = job.options;
  const closed = await lockout(caller, question);
  if (closed !== null) found.push(told("lockout", closed));
  const path = await ownPathChange(caller, question);
  if (path !== null) found.push(told("path", refusePathChange(path)));
  return found;
}

/** The enforcement with a state that is computed already, so that no guard computes it again. */
function knowing<C>(
  config: C,
  desired: LockoutQuestion<C>["after"],
  { enforcement }: Parts<C>,
): Parameters<typeof guardRefusals<C>>[1]["enforcement"] {
  return {
    desired: enforcement.desired,
    desire: (wanted, observed) =>
      wanted === config ? desired : enforcement.desire(wanted, observed),
  };
}

function told(kind: Refusal["kind"], { message, members }: Problem): Refusal {
  return { kind, detail: message, members };
}
