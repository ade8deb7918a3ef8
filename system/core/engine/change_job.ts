import type { ChangeOptions, Command, Observed, Outcome, PatchEntry } from "./change.ts";
import type { Aside } from "../config/document.ts";

/** A change that waits for its turn. */
export interface ChangeJob<C> {
  readonly kind: "change";
  readonly command: Command<C, unknown>;
  readonly options: ChangeOptions;
  /** Id of the change that this one undoes. */
  readonly undoes?: string;
  /** Passes an open window and every guard: a rollback, an edit that is on disk already. */
  readonly passes?: boolean;
  /** The edited file that it comes from. */
  readonly file?: { readonly name: string; readonly aside: readonly Aside[] };
  readonly resolve: (outcome: Outcome<unknown>) => void;
  readonly reject: (reason: unknown) => void;
}

/** A change as it is asked for, before it waits. */
export type Asked<C> = Omit<ChangeJob<C>, "kind" | "resolve" | "reject">;

/** Work that must not overlap with a change. */
export interface TaskJob {
  readonly kind: "task";
  readonly run: () => Promise<void>;
}

/** What waits in the engine's queue. */
export type Job<C> = ChangeJob<C> | TaskJob;

/** A change that was decided and has not moved anything yet. */
export interface Decided<C> {
  readonly job: ChangeJob<C>;
  readonly result: unknown;
  readonly before: C;
  readonly after: C;
  readonly seenBefore: Observed;
  readonly seenAfter: Observed;
  /** Empty when the configuration stays as it is. */
  readonly patch: readonly PatchEntry[];
}

/** True for a change that must not share its transaction with others. */
export function isAlone<C>(job: ChangeJob<C>): boolean {
  return job.options.confirmWithin !== undefined || job.undoes !== undefined ||
    job.file !== undefined || job.passes === true;
}
