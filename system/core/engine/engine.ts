import type {
  ChangeEngine,
  ChangeOptions,
  Command,
  NetworkFindings,
  NetworkState,
  Observations,
  Outcome,
  Planner,
  Preview,
} from "./change.ts";
import { assemble, type Assembled, type EngineOptions } from "./assemble.ts";
import { type ChangeJob, type ChangeRequest, Queue } from "./queue.ts";
import { commitAll, type Committed } from "./commit.ts";
import type { ConfirmWindow } from "./confirm_window.ts";
import { decideAll, reduce } from "./decide.ts";
import { Finisher } from "./files/finisher.ts";
import { History } from "./journal/history.ts";
import { KernelReconciler } from "./kernel/reconciler.ts";
import type { FlowsToEnd } from "./kernel/running_flows.ts";
import type { Desired } from "../kernel/desired.ts";
import type { Host } from "../kernel/host.ts";
import { EditedFiles } from "./files/outside_edits.ts";
import type { Parts } from "./parts.ts";
import { previewChange } from "./preview.ts";
import { conflict, notFound, Problem } from "../errors/problem.ts";
import { restoreCommand } from "./journal/restore_point.ts";
import { AutoRevert } from "./kernel/rollback.ts";
import type { Started } from "./start.ts";
import { undoCommand } from "./journal/undo.ts";

export type { EngineOptions } from "./assemble.ts";

/** How a restore to a point is requested. */
export interface RestoreOptions extends ChangeOptions {
  readonly permit?: (documents: readonly string[]) => void;
}

/** How often time-bound work is looked at, in milliseconds. */
const TICK_INTERVAL_MS = 1000;

/** Milliseconds until what should not wait for a tick is done, and the least between two of these. */
const EARLY_TICK_DELAY_MS = { first: 15, between: 250 } as const;

/** Changes that may wait to be marked as written while others keep coming. */
const MAX_UNFINISHED = 128;

/**
 * The only writer of the configuration and the kernel. Changes wait in one queue; each is answered
 * once it is durable and active, or not at all.
 */
export class Engine<C> implements ChangeEngine<C> {
  readonly history: History<C>;
  readonly #parts: Parts<C>;
  readonly #queue: Queue<C>;
  readonly #finisher: Finisher<C>;
  readonly #edits: EditedFiles<C>;
  readonly #reconciler: KernelReconciler<C>;
  readonly #autoRevert: AutoRevert<C>;
  #timer: ReturnType<typeof setInterval> | null = null;
  #earlyTick: ReturnType<typeof setTimeout> | null = null;
  #lastEarlyTick = -Infinity;
  #closed = false;

  constructor(
    parts: Parts<C>,
    options: Pick<Assembled<C>, "clock" | "steady" | "configs">,
  ) {
    this.#parts = parts;
    this.history = new History(parts.journal, parts.documents);
    this.#finisher = new Finisher(parts);
    this.#edits = new EditedFiles(parts, {
      folder: options.configs,
      turn: (run) => this.#queue.task(run),
      change: (job) => this.#process([job]),
    });
    this.#reconciler = new KernelReconciler(parts, {
      clock: options.clock,
      steady: options.steady,
      turn: (run) => this.#queue.task(run),
      soon: () => this.#tickEarly(),
    });
    this.#autoRevert = new AutoRevert(parts, {
      clock: options.clock,
      change: (job) => this.#changeNow(job),
    });
    this.#queue = new Queue({
      changes: (jobs) => this.#process(jobs),
      // Where time goes by itself, the next change does not wait for the marks of the last one.
      idle: async () => {
        if (this.#timer === null) await this.#finisher.run();
      },
    });
  }

  get config(): C {
    return this.#parts.active.config;
  }

  get observed(): Observations {
    return this.#parts.active.observed;
  }

  get desired(): Desired {
    return this.#parts.enforcement.desired;
  }

  get planner(): Planner<C> {
    return this.#parts.planner;
  }

  get network(): NetworkState {
    return this.#parts.enforcement.network;
  }

  /** What differs in the kernel, and what others have put in the way of our traffic. */
  get findings(): NetworkFindings {
    return this.#reconciler.findings;
  }

  get host(): Host {
    return this.#parts.enforcement.host;
  }

  /** The confirm window: what is open, and whether a token belongs to it. */
  get window(): Pick<ConfirmWindow, "current" | "matches"> {
    return this.#parts.window;
  }

  etag(document: keyof C & string): string {
    return this.#parts.active.etag(document);
  }

  prepareTag(document: keyof C & string): Generator<void, void> {
    return this.#parts.active.prepareTag(this.#parts.active.config, document);
  }

  secretVersion(value: object): number {
    return this.#parts.active.secretVersions.of(value);
  }

  change<R>(command: Command<C, R>, options: ChangeOptions): Promise<Outcome<R>> {
    return this.#enqueue({ command, options }) as Promise<Outcome<R>>;
  }

  async preview<R>(command: Command<C, R>, options: ChangeOptions): Promise<Preview> {
    return await previewChange({ command, options }, this.#parts);
  }

  /**
   * What a command would lead to from a state of the engine, as far as nothing but the command itself
   * refuses it; nothing moves.
   */
  foresee(
    command: Command<C, unknown>,
    from: Pick<Engine<C>, "config" | "observed" | "desired">,
  ): { readonly config: C; readonly desired: Desired } {
    const { config, observed, desired } = from;
    const options = { caller: { by: "foresee", from: null, connection: null } };
    const { after } = reduce({ command, options }, config, this.#parts);
    if (after === config) return { config, desired };
    const { enforcement, planner } = this.#parts;
    const seen = planner.timed?.(after, observed) ?? observed;
    return { config: after, desired: enforcement.desire(after, seen) };
  }

  /** Ends connections, as those are ended that a change no longer allows. Never throws. */
  async endFlows(flows: FlowsToEnd): Promise<void> {
    await this.#parts.flows.end(flows);
  }

  async observe(update: (observed: Observations) => Observations): Promise<void> {
    await this.#enqueue({
      command: { kind: "observe", summary: "", reduce: (config) => [config, undefined] },
      options: {
        caller: { by: "observation", from: null, connection: null },
        observation: true,
        observe: update,
      },
    });
  }

  /**
   * Takes a change back by an ordinary change of today's configuration. Throws Problem: 404, or 409
   * when a later change touched the same value.
   */
  async undo(id: string, options: ChangeOptions): Promise<Outcome<void>> {
    return await this.#queue.task(async () => {
      const { row, later } = await this.history.undoable(id);
      const command = undoCommand(row, later, this.#parts.documents);
      return await this.#changeNow({ command, options, undoes: id }) as Outcome<void>;
    });
  }

  /** What {@link undo} would do. */
  async previewUndo(id: string, options: ChangeOptions): Promise<Preview> {
    const { row, later } = await this.history.undoable(id);
    const command = undoCommand(row, later, this.#parts.documents);
    return await previewChange({ command, options, undoes: id }, this.#parts);
  }

  /**
   * Brings the whole configuration back to what it was right after a change, by an ordinary change.
   * `permit` throws Problem where the caller may not change these documents. Throws Problem: 404, or
   * 409 when that change is not active or the history does not lead back to it.
   */
  async restore(id: string, options: RestoreOptions): Promise<Outcome<void>> {
    return await this.#queue.task(async () => {
      const point = await this.history.point(id);
      const command = restoreCommand(point, { documents: this.#parts.documents, ...options });
      return await this.#changeNow({ command, options }) as Outcome<void>;
    });
  }

  /** What {@link restore} would do. */
  async previewRestore(id: string, options: RestoreOptions): Promise<Preview> {
    const point = await this.history.point(id);
    const command = restoreCommand(point, { documents: this.#parts.documents, ...options });
    return await this.preview(command, options);
  }

  /** Keeps the change whose window is open. Throws Problem: 404, or 409 when its window is not open. */
  async confirm(id: string): Promise<void> {
    await this.#queue.task(async () => {
      const { window, journal, bus } = this.#parts;
      if (window.change !== id) {
        if (await journal.get(id) === undefined) throw notFound("There is no such change");
        throw conflict("This change does not wait to be confirmed", { change: window.change });
      }
      await journal.endWindow(id);
      window.close();
      bus.publish("changes", { id, confirmed: true });
    });
  }

  /** Works on another kernel from now on, and loads it. `network` tells what came of it. */
  async attach(host: Host): Promise<void> {
    await this.#queue.task(() => this.#reconciler.attach(host));
  }

  /** Takes over tables of our names that belong to someone else, and applies everything. */
  async takeOver(): Promise<void> {
    await this.#queue.task(() => this.#reconciler.takeOver());
  }

  /** Loads everything anew, whatever differs. `network` tells what came of it. */
  async repair(): Promise<void> {
    await this.#queue.task(() => this.#reconciler.repair());
  }

  /**
   * Takes what is ours out of the kernel; changes are only kept until {@link apply}, across restarts.
   * Throws Problem when something is left.
   */
  async release(): Promise<void> {
    await this.#queue.task(() => this.#reconciler.release());
  }

  /** Applies everything again after {@link release}. `network` tells what came of it. */
  async apply(): Promise<void> {
    await this.#queue.task(() => this.#reconciler.apply());
  }

  /** Does what time asks for: ends an overdue window, tries again what failed, writes what waits. */
  async tick(): Promise<void> {
    if (this.#closed) return;
    await this.#queue.task(async () => {
      await this.#finisher.run();
      await this.#edits.readAgain();
      await this.#autoRevert.tick();
      await this.#reconciler.tick();
      this.#parts.flows.tick();
      await this.#finisher.tick();
    });
  }

  /** Waits until a link that came back under its name has its addresses and routes again. */
  async followLink(link: string): Promise<void> {
    if (this.#closed || !this.#reconciler.hasMoved(link)) return;
    await this.#queue.task(() => this.#reconciler.tick());
  }

  /** Compares configuration files with the active configuration, as after a change on disk. */
  async adoptEditedFiles(): Promise<void> {
    await this.#queue.task(() => this.#edits.adoptAll());
  }

  /** Finishes what waits and writes what is not written yet. The kernel stays as it is. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    if (this.#timer !== null) clearInterval(this.#timer);
    if (this.#earlyTick !== null) clearTimeout(this.#earlyTick);
    this.#reconciler.close();
    this.#parts.flows.close();
    await this.#edits.close();
    await this.#queue.idle();
    await this.#finisher.close();
  }

  /** Follows the start: loads the kernel, takes in edited files, and goes on with an open window. */
  async begin(started: Started<C>, live: boolean): Promise<void> {
    const { window } = started;
    if (window !== undefined) this.#parts.window.resume(window);
    await this.#queue.task(async () => {
      this.#finisher.add(started.complete, started.unplaced);
      this.#edits.markUnreadable(started.unreadable);
      await this.#reconciler.load();
      await this.#edits.reportRejected();
      await this.#edits.adoptEach(started.edited);
      await this.#autoRevert.tick();
    });
    await this.#queue.idle();
    if (!live) return;
    this.#edits.watch();
    this.#timer = setInterval(() => this.#tickNow(), TICK_INTERVAL_MS);
  }

  #tickNow(): void {
    this.tick().catch((error) =>
      this.#parts.log.error("engine.timed_task_failed", "A timed task failed", { error })
    );
  }

  /** Ticks before it is time, though not again and again. */
  #tickEarly(): void {
    if (this.#timer === null || this.#earlyTick !== null || this.#closed) return;
    const rest = this.#lastEarlyTick + EARLY_TICK_DELAY_MS.between - performance.now();
    this.#earlyTick = setTimeout(() => {
      this.#earlyTick = null;
      this.#lastEarlyTick = performance.now();
      this.#tickNow();
    }, Math.max(rest, EARLY_TICK_DELAY_MS.first));
  }

  #enqueue(job: ChangeRequest<C>): Promise<Outcome<unknown>> {
    if (this.#closed) return Promise.reject(new Problem(503, "Sluice is stopping"));
    return new Promise((resolve, reject) => {
      this.#queue.add({ ...job, kind: "change", resolve, reject });
    });
  }

  /** Takes a job at once; only for work that has its turn already. */
  async #changeNow(job: ChangeRequest<C>): Promise<Outcome<unknown>> {
    const { promise, resolve, reject } = Promise.withResolvers<Outcome<unknown>>();
    await Promise.all([this.#process([{ ...job, kind: "change", resolve, reject }]), promise]);
    return await promise;
  }

  /** Takes jobs as one transaction, and one by one when that is refused. Never throws. */
  async #process(jobs: readonly ChangeJob<C>[]): Promise<void> {
    this.#parts.step("change:taken");
    const decided = await decideAll(jobs, this.#parts);
    const last = decided.at(-1);
    if (last === undefined) return;
    let committed: Committed<C>;
    try {
      if (await this.#edits.adoptBefore(decided)) {
        return await this.#process(decided.map(({ job }) => job));
      }
      this.#parts.step("change:decided");
      committed = await commitAll(decided, this.#parts);
    } catch (error) {
      await this.#reconciler.report();
      if (decided.length === 1) return last.job.reject(error);
      for (const { job } of decided) await this.#process([job]);
      return;
    }
    await this.#followUp(committed);
  }

  /** Never throws: callers have their answer, and what is committed must not be taken once more. */
  async #followUp({ rows, unplaced, plan }: Committed<C>): Promise<void> {
    try {
      this.#finisher.add(rows, unplaced);
      if (this.#finisher.waiting >= MAX_UNFINISHED) await this.#finisher.run();
      this.#reconciler.markStale(plan);
      await this.#reconciler.report();
    } catch (error) {
      this.#parts.log.error("engine.follow_up_failed", "What follows a change failed", { error });
    }
  }
}

/** Opens the configuration of a home and activates it. `network` tells whether the kernel took it. */
export async function openEngine<C>(options: EngineOptions<C>): Promise<Engine<C>> {
  const { parts, started, ...given } = await assemble(options);
  const engine = new Engine<C>(parts, given);
  await engine.begin(started, options.live ?? true);
  return engine;
}
