import type { Caller, Consequences, Follow, Observations, PatchEntry, Planner } from "./change.ts";
import type { ChangeJob } from "./queue.ts";
import type { Documents } from "../config/document.ts";
import type { Desired } from "../kernel/desired.ts";
import type { ActiveConfig } from "./active_config.ts";
import { diffSteps } from "./journal/patch.ts";
import { equalSecrets, renewed, secretsLast } from "./journal/secrets.ts";
import { conflict, invalid, type Problem, sentence } from "../errors/problem.ts";
import { type ConfirmWindow, WINDOW_SECONDS } from "./confirm_window.ts";
import { atOnce, inTurns } from "../time/slices.ts";

/** The kernel states that a change leads from and to, each computed when a guard first asks. */
export interface GuardStates<C> {
  readonly planner: Planner<C>;
  before(): Desired;
  after(): Desired;
}

/** Refuses a change unless it is forced or made under a window: for example the loss of the last admin. */
export type Guard<C> = (
  before: C,
  after: C,
  caller: Caller,
  states: GuardStates<C>,
) => Problem | null;

/** A change that was decided and has not moved anything yet. */
export interface DecidedChange<C> {
  readonly job: ChangeJob<C>;
  readonly result: unknown;
  readonly before: C;
  readonly after: C;
  readonly observedBefore: Observations;
  readonly observedAfter: Observations;
  /** Empty when the configuration stays as it is. */
  readonly patch: readonly PatchEntry[];
}

/** What decisions are taken on. */
export interface DecideOptions<C> {
  readonly documents: Documents<C>;
  readonly active: ActiveConfig<C>;
  readonly window: ConfirmWindow;
  readonly guards: readonly Guard<C>[];
  readonly follow: Follow<C>;
  readonly planner: Planner<C>;
  readonly enforcement: {
    readonly desired: Desired;
    desire(config: C, observed: Observations): Desired;
  };
}

/** One after the other: each sees what the one before made of the change. */
export function followAll<C>(all: readonly Follow<C>[]): Follow<C> {
  return (change) =>
    all.reduce<Consequences<C>>(({ config, effects }, follow) => {
      const next = follow({ ...change, after: config });
      return { config: next.config, effects: [...effects, ...next.effects] };
    }, { config: change.after, effects: [] });
}

/**
 * Reduces jobs one after the other, each on what the ones before it decided. One that is refused is
 * rejected and leaves no trace. Others have their turn within: called in the engine's queue, where
 * nothing else moves the configuration.
 */
export async function decideAll<C>(
  jobs: readonly ChangeJob<C>[],
  options: DecideOptions<C>,
): Promise<readonly DecidedChange<C>[]> {
  const decided: DecidedChange<C>[] = [];
  for (const job of jobs) {
    try {
      decided.push(await inTurns(decideSteps(job, decided.at(-1), options)));
    } catch (error) {
      job.reject(error);
    }
  }
  return decided;
}

/** What a job makes of what stands, or of what the one before it decided. Throws Problem. */
function* decideSteps<C>(
  job: ChangeJob<C>,
  last: DecidedChange<C> | undefined,
  options: DecideOptions<C>,
): Generator<void, DecidedChange<C>> {
  const before = last?.after ?? options.active.config;
  const observedBefore = last?.observedAfter ?? options.active.observed;
  refuseDuringWindow(job, options.window);
  const { result, after, patch } = yield* reduceSteps(job, before, options, MAX_EQUAL_SECRETS);
  yield* options.active.secretVersions.note(before, after, patch);
  const reported = job.options.observe?.(observedBefore) ?? observedBefore;
  const seen = options.planner.timed?.(after, reported) ?? reported;
  const observedAfter = options.planner.settle?.(after, seen) ?? seen;
  const change = { job, result, before, after, observedBefore, observedAfter, patch };
  if (patch.length > 0) {
    for (const refusal of guardRefusals(change, options)) {
      if (refusal !== undefined) throw refusal;
      yield;
    }
  }
  return change;
}

function refuseDuringWindow<C>(job: ChangeJob<C>, window: ConfirmWindow): void {
  const { confirmWithin } = job.options;
  if (
    confirmWithin !== undefined &&
    !(confirmWithin >= WINDOW_SECONDS.least && confirmWithin <= WINDOW_SECONDS.most)
  ) {
    throw invalid(
      "",
      sentence("Confirm-Within takes {least} to {most} seconds", {
        least: WINDOW_SECONDS.least,
        most: WINDOW_SECONDS.most,
      }),
    );
  }
  const refusal = windowRefusal(job, window);
  if (refusal !== null) throw refusal;
}

/** The refusal of a change while another waits to be confirmed; null when none does. */
export function windowRefusal<C>(
  job: Pick<ChangeJob<C>, "options" | "unguarded" | "undoes">,
  window: Pick<ConfirmWindow, "change">,
): Problem | null {
  const open = window.change;
  if (open === null || job.options.observation || job.unguarded || job.undoes === open) return null;
  return conflict(
    sentence("The change {open} waits to be confirmed; confirm or undo it first", { open }),
    {
      refusal: "window",
      change: open,
    },
  );
}

/**
 * Secrets up to which a change lists each one as set. A list of more is a whole copy of the
 * devices, as mesh nodes send: each would fill the journal with passwords that stay what they are.
 */
const MAX_EQUAL_SECRETS = 64;

/** What a command makes of a configuration. */
interface Reduced<C> {
  readonly result: unknown;
  readonly after: C;
  readonly patch: readonly PatchEntry[];
  readonly effects: readonly string[];
}

/**
 * Reduces one job, and finds out what it changes and what follows from it, in small steps. `maxSecrets`:
 * secrets that are recorded as set although they stay what they are, beyond which none is.
 */
export function* reduceSteps<C>(
  job: Pick<ChangeJob<C>, "command" | "options">,
  before: C,
  options: Pick<DecideOptions<C>, "documents" | "active" | "follow">,
  maxSecrets = Infinity,
): Generator<void, Reduced<C>> {
  const { precondition } = job.options;
  if (precondition !== undefined) options.active.checkPrecondition(before, precondition);
  const { command } = job;
  const [decided, result] = command.reduceSteps === undefined
    ? command.reduce(before)
    : yield* command.reduceSteps(before);
  yield;
  const secrets = command.secrets?.(decided) ?? [];
  if (decided === before && secrets.length === 0) {
    return { result, after: before, patch: [], effects: [] };
  }
  const past = command.past?.(before) ?? null;
  const { config: after, effects } = decided === before
    ? { config: before, effects: [] }
    : options.follow({ before, after: decided, past });
  yield;
  const moved = yield* diffConfig(before, after, options.documents);
  const sent = { after, patch: moved, documents: options.documents };
  const equal = secrets.length > maxSecrets ? [] : equalSecrets(secrets, sent);
  yield;
  const patch = secretsLast([...moved, ...equal], secrets);
  if (equal.length > 0) return { result, after: renewed(after, equal), patch, effects };
  return { result, after: moved.length === 0 ? before : after, patch, effects };
}

/** {@link reduceSteps} at once. */
export function reduce<C>(...inputs: Parameters<typeof reduceSteps<C>>): Reduced<C> {
  return atOnce(reduceSteps(...inputs));
}

/** What differs between two configurations. */
function* diffConfig<C>(
  before: C,
  after: C,
  documents: Documents<C>,
): Generator<void, readonly PatchEntry[]> {
  const patch: (readonly PatchEntry[])[] = [];
  for (const name of Object.keys(documents) as (keyof C & string)[]) {
    if (before[name] === after[name]) continue;
    const { keyOf } = documents[name];
    patch.push(yield* diffSteps(before[name], after[name], { document: name, keyOf }));
  }
  return patch.flat();
}

/**
 * What the guards say against a change, one after the other; nothing where it is unguarded. Yields
 * undefined between small steps.
 */
export function* guardRefusals<C>(
  change: Omit<DecidedChange<C>, "job" | "result" | "patch"> & {
    readonly job: Pick<ChangeJob<C>, "options" | "unguarded">;
  },
  options: Pick<DecideOptions<C>, "guards" | "planner" | "enforcement" | "active">,
): Generator<Problem | undefined, void> {
  const { job, before, after, observedBefore: observedBefore, observedAfter: observedAfter } =
    change;
  if (isUnguarded(job)) return;
  const { enforcement, planner } = options;
  const stands = before === options.active.config && observedBefore === options.active.observed;
  const states: GuardStates<C> = {
    planner,
    before: once(() => stands ? enforcement.desired : enforcement.desire(before, observedBefore)),
    after: once(() => enforcement.desire(after, observedAfter)),
  };
  for (const guard of options.guards) {
    const refusal = guard(before, after, job.options.caller, states);
    yield refusal ?? undefined;
  }
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => (made ??= { value: make() }).value;
}

/** True for a change that may lock its caller out. */
export function isUnguarded<C>(job: Pick<ChangeJob<C>, "options" | "unguarded">): boolean {
  return job.unguarded === true || job.options.force === true ||
    job.options.confirmWithin !== undefined || job.options.observation === true;
}
