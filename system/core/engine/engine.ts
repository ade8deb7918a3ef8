import type {
  ChangeEngine,
  ChangeOptions,
  Command,
  NetworkFindings,
  NetworkState,
  Observed,
  Outcome,
  Planner,
  Preview,
} from "./change.ts";
import { assemble } from "./assemble.ts";
import type { Asked, ChangeJob } from "./change_job.ts";
import { commitAll } from "./commit.ts";
import type { ConfirmWindow } from "./confirm_window.ts";
import { decideAll, reduce } from "./decide.ts";
import type { EngineOptions } from "./options.ts";
import { Finisher } from "./files/finisher.ts";
import { History } from "./journal/history.ts";
import { KernelCare } from "./kernel/reconciler.ts";
import type { Desired, Host } from "../kernel/host.ts";
import { OutsideEdits } from "./files/outside_edits.ts";
import type { Parts } from "./parts.ts";
import { previewChange } from "./preview.ts";
import { conflict, notFound, Problem } from "../errors/problem.ts";
import { Queue } from "./queue.ts";
import { restoreCommand } from "./journal/restore_point.ts";
import { Rollback } from "./kernel/rollback.ts";
import type { Started } from "./start.ts";
import { undoCommand } from "./journal/undo.ts";

export type { EngineOptions } from "./options.ts";

/** How a restore to a point is asked for. */
export interface RestoreOptions extends ChangeOptions {
  readonly permit?: (documents: readonly string[]) => void;
}

/** How often time-bound work is looked at, in milliseconds. */
const TICK = 1000;

/** Milliseconds until what should not wait for a tick is done, and the least between two of these. */
const SOON = { first: 15, between: 250 } as const;

/** Changes that may wait to be marked as written while others keep coming. */
const UNFINISHED = 128;

/**
 * The only writer of the configuration and the kernel. Changes wait in one queue; each is answered
 * once it is durable and in force, or not at all.
 */
export class Engine<C> implements ChangeEngine<C> {
  readonly history: History<C>;
  readonly #parts: Parts<C>;
  readonly #queue: Queue<C>;
  readonly #finisher: Finisher<C>;
  readonly #edits: OutsideEdits<C>;
  readonly #care: KernelCare<C>;
  readonly #rollback: Rollback<C>;
  #timer: ReturnType<typeof setInterval> | null = null;
  #soon: ReturnType<typeof setTimeout> | null = null;
  #lastSoon = -Infinity;
  #closed = false;

  constructor(
    parts: Parts<C>,
    options: { readonly clock: () => number; readonly configs: string },
  ) {
    this.#parts = parts;
    this.history = new History(parts.journal, parts.documents);
    this.#finisher = new Finisher(parts);
    this.#edits = new OutsideEdits(parts, {
      folder: options.configs,
      turn: (run) => this.#queue.task(run),
      change: (job) => this.#take([job]),
    });
    this.#care = new KernelCare(parts, {
      clock: options.clock,
      turn: (run) => this.#queue.task(run),
      soon: () => this.#tickSoon(),
    });
    this.#rollback = new Rollback(parts, {
      clock: options.clock,
      change: (job) => this.#now(job),
    });
    this.#queue = new Queue({
      changes: (jobs) => this.#take(jobs),
      // Where time goes by itself, the next change does not wait for the marks of the last one.
      idle: async () => {
        if (this.#timer === null) await this.#finisher.run();
      },
    });
  }

  get config(): C {
    return this.#parts.inForce.config;
  }

  get observed(): Observed {
    return this.#parts.inForce.observed;
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
    return this.#care.findings;
  }

  get host(): Host {
    return this.#parts.enforcement.host;
  }

  /** The confirm window: what is open, and whether a token belongs to it. */
  get window(): Pick<ConfirmWindow, "current" | "matches"> {
    return this.#parts.window;
  }

  etag(document: keyof C & string): string {
    return this.#parts.inForce.etag(document);
  }

  change<R>(command: Command<C, R>, options: ChangeOptions): Promise<Outcome<R>> {
    return this.#ask({ command, options }) as Promise<Outcome<R>>;
  }

  async preview<R>(command: Command<C, R>, options: ChangeOptions): Promise<Preview> {
    return await previewChange({ command, options }, this.#parts);
  }

  /** What a command would lead to, as far as nothing but the command itself refuses it; nothing moves. */
  foresee(command: Command<C, unknown>): { readonly config: C; readonly desired: Desired } {
    const { inForce, enforcement } = this.#parts;
    const { config, observed } = inForce;
    const options = { caller: { by: "foresee", from: null, connection: null } };
    const { after } = reduce({ command, options }, config, this.#parts);
    const desired = after === config ? enforcement.desired : enforcement.desire(after, observed);
    return { config: after, desired };
  }

  async observe(update: (observed: Observed) => Observed): Promise<void> {
    await this.#ask({
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
      const row = await this.history.undoable(id);
      const command = undoCommand(row, this.#parts.documents);
      return await this.#now({ command, options, undoes: id }) as Outcome<void>;
    });
  }

  /** What {@link undo} would do. */
  async previewUndo(id: string, options: ChangeOptions): Promise<Preview> {
    const row = await this.history.undoable(id);
    const command = undoCommand(row, this.#parts.documents);
    return await previewChange({ command, options, undoes: id }, this.#parts);
  }

  /**
   * Brings the whole configuration back to what it was right after a change, by an ordinary change.
   * `permit` throws Problem where the caller may not change these documents. Throws Problem: 404, or
   * 409 when that change is not in force or the history does not lead back to it.
   */
  async restore(id: string, options: RestoreOptions): Promise<Outcome<void>> {
    return await this.#queue.task(async () => {
      const point = await this.history.point(id);
      const command = restoreCommand(point, { documents: this.#parts.documents, ...options });
      return await this.#now({ command, options }) as Outcome<void>;
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
    await this.#queue.task(() => this.#care.attach(host));
  }

  /** Takes over tables of our names that belong to someone else, and applies everything. */
  async takeOver(): Promise<void> {
    await this.#queue.task(() => this.#care.takeOver());
  }

  /** Loads everything anew, whatever differs. `network` tells what came of it. */
  async repair(): Promise<void> {
    await this.#queue.task(() => this.#care.repair());
  }

  /**
   * Takes what is ours out of the kernel; changes are only kept until {@link apply}, across restarts.
   * Throws Problem when something is left.
   */
  async release(): Promise<void> {
    await this.#queue.task(() => this.#care.release());
  }

  /** Applies everything again after {@link release}. `network` tells what came of it. */
  async apply(): Promise<void> {
    await this.#queue.task(() => this.#care.apply());
  }

  /** Does what time asks for: ends an overdue window, tries again what failed, writes what waits. */
  async tick(): Promise<void> {
    if (this.#closed) return;
    await this.#queue.task(async () => {
      await this.#finisher.run();
      await this.#rollback.tick();
      await this.#care.tick();
      await this.#finisher.tick();
    });
  }

  /** Compares people's files with what is in force, as after a change on disk. */
  async readFiles(): Promise<void> {
    await this.#queue.task(() => this.#edits.inspectAll());
  }

  /** Finishes what waits and writes what is not written yet. The kernel stays as it is. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    if (this.#timer !== null) clearInterval(this.#timer);
    if (this.#soon !== null) clearTimeout(this.#soon);
    this.#care.close();
    await this.#edits.close();
    await this.#queue.drained();
    await this.#finisher.close();
  }

  /** Follows the start: loads the kernel, takes in edited files, and goes on with an open window. */
  async begin(started: Started<C>, live: boolean): Promise<void> {
    const { window } = started;
    if (window !== undefined) this.#parts.window.resume(window);
    await this.#queue.task(async () => {
      this.#finisher.add(started.complete);
      await this.#care.load();
      await this.#edits.reportAside();
      await this.#edits.inspectEach(started.edited);
      await this.#rollback.tick();
    });
    await this.#queue.drained();
    if (!live) return;
    this.#edits.watch();
    this.#timer = setInterval(() => this.#tickNow(), TICK);
  }

  #tickNow(): void {
    this.tick().catch((error) =>
      this.#parts.log.error("engine.timed_task_failed", "A timed task failed", { error })
    );
  }

  /** Ticks before it is time, though not again and again. */
  #tickSoon(): void {
    if (this.#timer === null || this.#soon !== null || this.#closed) return;
    const rest = this.#lastSoon + SOON.between - performance.now();
    this.#soon = setTimeout(() => {
      this.#soon = null;
      this.#lastSoon = performance.now();
      this.#tickNow();
    }, Math.max(rest, SOON.first));
  }

  #ask(job: Asked<C>): Promise<Outcome<unknown>> {
    if (this.#closed) return Promise.reject(new Problem(503, "Sluice is stopping"));
    return new Promise((resolve, reject) => {
      this.#queue.add({ ...job, kind: "change", resolve, reject });
    });
  }

  /** Takes a job at once; only for work that has its turn already. */
  async #now(job: Asked<C>): Promise<Outcome<unknown>> {
    const { promise, resolve, reject } = Promise.withResolvers<Outcome<unknown>>();
    await Promise.all([this.#take([{ ...job, kind: "change", resolve, reject }]), promise]);
    return await promise;
  }

  /** Takes jobs as one transaction, and one by one when that is refused. Never throws. */
  async #take(jobs: readonly ChangeJob<C>[]): Promise<void> {
    const decided = decideAll(jobs, this.#parts);
    const last = decided.at(-1);
    if (last === undefined) return;
    try {
      if (await this.#edits.takeInBefore(decided)) {
        return await this.#take(decided.map(({ job }) => job));
      }
      const committed = await commitAll(decided, this.#parts);
      this.#finisher.add(committed.rows, committed.unplaced);
      if (this.#finisher.waiting >= UNFINISHED) await this.#finisher.run();
      this.#care.followed(committed.plan);
      await this.#care.report();
    } catch (error) {
      await this.#care.report();
      if (decided.length === 1) return last.job.reject(error);
      for (const { job } of decided) await this.#take([job]);
    }
  }
}

/** Opens the configuration of a home and puts it in force. `network` tells whether the kernel took it. */
export async function openEngine<C>(options: EngineOptions<C>): Promise<Engine<C>> {
  const { parts, started, clock, configs } = await assemble(options);
  const engine = new Engine<C>(parts, { clock, configs });
  await engine.begin(started, options.live ?? true);
  return engine;
}
