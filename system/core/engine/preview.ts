import type {
  AccessChanges,
  AccessChangeStates,
  ChangeOptions,
  Command,
  EffectContext,
  Effects,
  Preview,
  Refusal,
} from "./change.ts";
import { guardRefusals, isUnguarded, reduceSteps, windowRefusal } from "./decide.ts";
import {
  callerPathChange,
  lockout,
  type LockoutCheck,
  pathRefusal,
  traceCaller,
} from "./kernel/lockout.ts";
import { inSlices, Turns } from "../time/slices.ts";
import { jsonSteps } from "../config/json.ts";
import { maskSteps } from "./journal/secrets.ts";
import { ownAddresses } from "../net/own_addresses.ts";
import type { Parts } from "./parts.ts";
import type { Problem } from "../errors/problem.ts";

/** A change to preview. */
export interface PreviewRequest<C, R> {
  readonly command: Command<C, R>;
  readonly options: ChangeOptions;
  /** Id of the change that this one undoes. */
  readonly undoes?: string;
}

/** What a change would do to the active configuration. Throws what the change itself would throw first. */
export async function previewChange<C, R>(
  request: PreviewRequest<C, R>,
  parts: Parts<C>,
): Promise<Preview> {
  const { documents, enforcement, active, planner } = parts;
  const { options } = request;
  const { config, observed: observedBefore } = active;
  const before = enforcement.desired;
  const turns = new Turns();
  const { after, patch, effects, result } = await turns.run(reduceSteps(request, config, parts));
  await turns.pause();
  const reported = options.observe?.(observedBefore) ?? observedBefore;
  const observed = planner.timed?.(after, reported) ?? reported;
  const moves = patch.length > 0 || observed !== observedBefore;
  const desired = moves ? await turns.run(enforcement.desireSteps(after, observed)) : before;
  await turns.pause();
  const settled = planner.settle?.(after, observed) ?? observed;
  const question = {
    planner,
    routeTo: (source: string) => enforcement.routeTo(source),
    before,
    // What it is at first; the rest of the preview is what it comes to.
    after: moves && settled !== observed
      ? await turns.run(enforcement.desireSteps(after, settled))
      : desired,
  };
  const own = await traceCaller(options.caller, question);
  await turns.pause();
  const flips = moves
    ? await accessChangesOf({
      before,
      after: desired,
      config,
      next: after,
      observed: observedBefore,
    }, {
      // Others see other effects only where the machine reported other facts.
      name: options.observe === undefined ? await turns.run(jsonSteps(patch)) : parts.randomId(),
      signal: options.signal,
      parts,
    })
    : { allowed: [], denied: [], more: 0 };
  turns.begin();
  const refusals = await refusalsOf(
    {
      job: request,
      before: config,
      after,
      observedBefore,
      observedAfter: settled,
    },
    { patched: patch.length > 0, question, turns, parts },
  );
  await turns.pause();
  const plan = moves ? planner.diff(before, desired) : null;
  await turns.pause();
  const system = plan === null ? [] : planner.describe(plan);
  await turns.pause();
  return {
    config: await turns.run(maskSteps(patch, (name) => documents[name as keyof C])),
    effects: [
      ...effects,
      ...request.command.effects?.(result as R) ?? [],
      ...await inSlices(
        effectSteps({ before: config, after, observed: observedBefore, patch }, parts.effects),
        options.signal === undefined ? {} : { signal: options.signal },
      ),
    ],
    system,
    addresses: ownAddresses(desired),
    firstApply: await parts.firstApply(after, enforcement.host),
    reach: { ...flips, own },
    refusals,
  };
}

/** What each part of the router says of a change, one after the other. */
function* effectSteps<C>(
  change: EffectContext<C>,
  all: readonly Effects<C>[],
): Generator<void, readonly string[]> {
  const sentences: string[] = [];
  for (const effects of all) {
    for (const sentence of effects(change)) {
      if (sentence !== undefined) sentences.push(sentence);
      yield;
    }
    yield;
  }
  return sentences;
}

/** Takes seconds with a thousand devices: it lets others have their turn, and ends with its callers. */
async function accessChangesOf<C>(
  change: AccessChangeStates<C>,
  { name, signal, parts }: {
    /** What tells the change from others of the same state. */
    readonly name: string;
    readonly signal: AbortSignal | undefined;
    readonly parts: Parts<C>;
  },
): Promise<AccessChanges> {
  return await parts.accessChanges.run(change.before, name, {
    signal,
    steps: () => parts.planner.accessChangeSteps(change),
  });
}

/** All that would refuse it, in the order in which the change itself would meet it. */
async function refusalsOf<C>(
  change: Parameters<typeof guardRefusals<C>>[0],
  { patched, question, turns, parts }: {
    readonly patched: boolean;
    readonly question: LockoutCheck<C>;
    readonly turns: Turns;
    readonly parts: Parts<C>;
  },
): Promise<readonly Refusal[]> {
  const { job } = change;
  const window = windowRefusal(job, parts.window);
  const found = window === null ? [] : [refusal("window", window)];
  if (!patched || isUnguarded(job)) return found;
  for (const problem of guardRefusals(change, parts)) {
    if (problem !== undefined) found.push(refusal("guard", problem));
    await turns.pause();
  }
  const { caller } = job.options;
  const closed = await lockout(caller, question);
  if (closed !== null) found.push(refusal("lockout", closed));
  const path = await callerPathChange(caller, question);
  if (path !== null) found.push(refusal("path", pathRefusal(path)));
  return found;
}

function refusal(kind: Refusal["kind"], { message, members }: Problem): Refusal {
  return { kind, detail: message, members };
}
