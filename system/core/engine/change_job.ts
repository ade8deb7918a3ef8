import type { ChangeOptions, Command, Observations, Outcome, PatchEntry } from "./change.ts";
import type { RejectedEntry } from "../config/document.ts";

/** A change that waits for its turn. */
export interface ChangeJob<C> {
  readonly kind: "change";
  readonly command: Command<C, unknown>;
  readonly options: ChangeOptions;
  /** Id of the change that this one undoes. */
  readonly undoes?: string;
  /** Passes an open window and every guard: a rollback, an edit that is on disk already. */
  readonly unguarded?: boolean;
  /** The edited file that it comes from. */
  readonly file?: { readonly name: string; readonly rejected: readonly RejectedEntry[] };
  readonly resolve: (outcome: Outcome<unknown>) => void;
  readonly reject: (reason: unknown) => void;
}

/** A change as requested, before it is queued. */
export type ChangeRequest<C> = Omit<ChangeJob<C>, "kind" | "resolve" | "reject">;

/** Work that must not overlap with a change. */
export interface TaskJob {
  readonly kind: "task";
  readonly run: () => Promise<void>;
}

/** What waits in the engine's queue. */
export type Job<C> = ChangeJob<C> | TaskJob;

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

/** True for a change that must not share its transaction with others. */
export function needsOwnTransaction<C>(job: ChangeJob<C>): boolean {
  return job.options.confirmWithin !== undefined || job.undoes !== undefined ||
    job.file !== undefined || job.unguarded === true;
}
