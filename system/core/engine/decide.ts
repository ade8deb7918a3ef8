import type { Caller, Consequences, Follow, Observations, PatchEntry, Planner } from "./change.ts";
import type { ChangeJob } from "./queue.ts";
import type { Documents } from "../config/document.ts";
import type { Desired } from "../kernel/desired.ts";
import type { ActiveConfig } from "./active_config.ts";
import { diffDocument } from "./journal/patch.ts";
import { equalSecrets, renewed, secretsLast } from "./journal/secrets.ts";
import { conflict, invalid, type Problem } from "../errors/problem.ts";
import { type ConfirmWindow, WINDOW_SECONDS } from "./confirm_window.ts";

/** The kernel states that a change leads from and to, each computed when a guard first asks. */
export interface GuardStates<C> {
  readonly planner: Planner<C>;
  before(): Desired;
  after(): Desired;
}

/** Entries of a patch from which a change is taken in parts, between which others have their turn. */
export const LARGE_PATCH = 100;

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
 * rejected and leaves no trace.
 */
export function decideAll<C>(
  jobs: readonly ChangeJob<C>[],
  options: DecideOptions<C>,
): readonly DecidedChange<C>[] {
  const decided: DecidedChange<C>[] = [];
  for (const job of jobs) {
    const last = decided.at(-1);
    const before = last?.after ?? options.active.config;
    const observedBefore = last?.observedAfter ?? options.active.observed;
    try {
      refuseDuringWindow(job, options.window);
      const { result, after, patch } = reduce(job, before, options, MAX_EQUAL_SECRETS);
      options.active.secretVersions.note(before, after, patch);
      const reported = job.options.observe?.(observedBefore) ?? observedBefore;
      const seen = options.planner.timed?.(after, reported) ?? reported;
      const observedAfter = options.planner.settle?.(after, seen) ?? seen;
      const change = { job, result, before, after, observedBefore, observedAfter, patch };
      if (patch.length > 0) refuseByGuards(change, options);
      decided.push(change);
    } catch (error) {
      job.reject(error);
    }
  }
  return decided;
}

function refuseDuringWindow<C>(job: ChangeJob<C>, window: ConfirmWindow): void {
  const { confirmWithin } = job.options;
  if (
    confirmWithin !== undefined &&
    !(confirmWithin >= WINDOW_SECONDS.least && confirmWithin <= WINDOW_SECONDS.most)
  ) {
    throw invalid(
      "",
      `Confirm-Within takes ${WINDOW_SECONDS.least} to ${WINDOW_SECONDS.most} seconds`,
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
  return conflict(`The change ${open} waits to be confirmed; confirm or undo it first`, {
    change: open,
  });
}

/**
 * Secrets up to which a change lists each one as set. A list of more is a whole copy of the
 * devices, as mesh nodes send: each would fill the journal with passwords that stay what they are.
 */
const MAX_EQUAL_SECRETS = 64;

/**
 * Reduces one job, and finds out what it changes and what follows from it. `maxSecrets`: secrets that
 * are recorded as set although they stay what they are, beyond which none is.
 */
export function reduce<C>(
  job: Pick<ChangeJob<C>, "command" | "options">,
  before: C,
  options: Pick<DecideOptions<C>, "documents" | "active" | "follow">,
  maxSecrets = Infinity,
): {
  readonly result: unknown;
  readonly after: C;
  readonly patch: readonly PatchEntry[];
  readonly effects: readonly string[];
} {
  const { precondition } = job.options;
  if (precondition !== undefined) options.active.checkPrecondition(before, precondition);
  const [decided, result] = job.command.reduce(before);
  const secrets = job.command.secrets?.(decided) ?? [];
  if (decided === before && secrets.length === 0) {
    return { result, after: before, patch: [], effects: [] };
  }
  const past = job.command.past?.(before) ?? null;
  const { config: after, effects } = decided === before
    ? { config: before, effects: [] }
    : options.follow({ before, after: decided, past });
  const moved = diffConfig(before, after, options.documents);
  const sent = { after, patch: moved, documents: options.documents };
  const equal = secrets.length > maxSecrets ? [] : equalSecrets(secrets, sent);
  const patch = secretsLast([...moved, ...equal], secrets);
  if (equal.length > 0) return { result, after: renewed(after, equal), patch, effects };
  return { result, after: moved.length === 0 ? before : after, patch, effects };
}

/** What differs between two configurations. */
function diffConfig<C>(
  before: C,
  after: C,
  documents: Documents<C>,
): readonly PatchEntry[] {
  return (Object.keys(documents) as (keyof C & string)[]).flatMap((name) =>
    before[name] === after[name] ? [] : diffDocument(before[name], after[name], {
      document: name,
      keyOf: documents[name].keyOf,
    })
  );
}

function refuseByGuards<C>(change: DecidedChange<C>, options: DecideOptions<C>): void {
  for (const refusal of guardRefusals(change, options)) throw refusal;
}

/** What the guards say against a change, one after the other; nothing where it is unguarded. */
export function* guardRefusals<C>(
  change: Omit<DecidedChange<C>, "job" | "result" | "patch"> & {
    readonly job: Pick<ChangeJob<C>, "options" | "unguarded">;
  },
  options: Pick<DecideOptions<C>, "guards" | "planner" | "enforcement" | "active">,
): Generator<Problem> {
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
    if (refusal !== null) yield refusal;
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
