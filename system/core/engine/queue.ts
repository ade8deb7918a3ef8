import type { ChangeOptions, Command, Outcome } from "./change.ts";
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

/** Changes that share one transaction at most. */
const MAX_BATCH = 64;

/** What the queue calls, never twice at a time. None of them may throw. */
export interface QueueWork<C> {
  readonly changes: (jobs: readonly ChangeJob<C>[]) => Promise<void>;
  /** Called when nothing waits any more. */
  readonly idle: () => Promise<void>;
}

/** One after the other: changes that wait together are handed over together. */
export class Queue<C> {
  readonly #work: QueueWork<C>;
  readonly #waiting: Job<C>[] = [];
  #running: Promise<void> | null = null;

  constructor(work: QueueWork<C>) {
    this.#work = work;
  }

  add(job: Job<C>): void {
    this.#waiting.push(job);
    this.#running ??= this.#run();
  }

  /** Runs work in its turn and answers what it answers. */
  task<R>(run: () => Promise<R>): Promise<R> {
    return new Promise((resolve, reject) => {
      this.add({ kind: "task", run: () => run().then(resolve, reject) });
    });
  }

  /** Resolves when everything that waits now, and what it brings along, is done. */
  async idle(): Promise<void> {
    while (this.#running !== null) await this.#running;
  }

  async #run(): Promise<void> {
    // Changes requested in the same turn of the event loop share a transaction.
    await Promise.resolve();
    do {
      for (let job = this.#waiting.shift(); job !== undefined; job = this.#waiting.shift()) {
        if (job.kind === "task") await job.run();
        else await this.#work.changes([job, ...this.#batchWith(job)]);
      }
      await this.#work.idle();
    } while (this.#waiting.length > 0);
    this.#running = null;
  }

  #batchWith(first: ChangeJob<C>): readonly ChangeJob<C>[] {
    const company: ChangeJob<C>[] = [];
    if (needsOwnTransaction(first)) return company;
    while (company.length < MAX_BATCH - 1) {
      const next = this.#waiting[0];
      if (next === undefined || next.kind === "task" || needsOwnTransaction(next)) break;
      this.#waiting.shift();
      company.push(next);
    }
    return company;
  }
}

/** True for a change that must not share its transaction with others. */
function needsOwnTransaction<C>(job: ChangeJob<C>): boolean {
  return job.options.confirmWithin !== undefined || job.undoes !== undefined ||
    job.file !== undefined || job.unguarded === true;
}
