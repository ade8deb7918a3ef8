import type { Log } from "../log/log.ts";
import type { ProcessDescriptor } from "./descriptor.ts";
import { REFUSED } from "../errors/refusal.ts";

/** How a child ended. `code` is 128 + the signal's number where a signal ended it. */
export interface Ending {
  readonly code: number;
  readonly signal: string | null;
}

/** A running child. */
export interface Child {
  readonly pid: number;
  readonly ended: Promise<Ending>;
  /** Does nothing once it has exited. */
  signal(signal: "SIGTERM" | "SIGKILL"): void;
}

/** Calls `action` once after so many milliseconds, unless the returned function is called before. */
export type After = (milliseconds: number, action: () => void) => () => void;

/** Options of a {@link Supervisor}. */
export interface SupervisorOptions {
  readonly process: Pick<ProcessDescriptor, "name" | "runs">;
  readonly spawn: () => Child;
  readonly log: Log;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly after: After;
  /** Called when a process exited by itself: it finished, crashed, or refused to start. */
  readonly onEnd?: (status: ProcessStatus) => void;
}

/** The status of a process, as the launcher's socket shows it. */
export interface ProcessStatus {
  readonly name: string;
  /** `waiting`: crashed, restarts after a delay. `refused`: cannot start until its settings are fixed. */
  readonly state: "stopped" | "running" | "waiting" | "done" | "refused";
  readonly pid: number | null;
  /** Unix milliseconds at which it entered this state. */
  readonly since: number;
  /** How often it was restarted since it last ran for a minute. */
  readonly restarts: number;
}

/** A process that ran this long counts as healthy: its next crash restarts the backoff. */
export const HEALTHY_MS = 60_000;
const MIN_RESTART_DELAY_MS = 200;
const MAX_RESTART_DELAY_MS = 30_000;
/** Between SIGTERM and SIGKILL: a whole stop must take less than five seconds. */
const KILL_TIMEOUT_MS = 4000;

/** Delay before the next start after so many restarts: 0.2 s, doubling up to 30 s. */
export function restartDelay(restarts: number): number {
  return Math.min(MAX_RESTART_DELAY_MS, MIN_RESTART_DELAY_MS * 2 ** Math.min(restarts, 20));
}

/** Keeps one process running while it is wanted, and never more than one of it. */
export class Supervisor {
  readonly #options: SupervisorOptions;
  #child: Child | null = null;
  #wanted = false;
  #state: ProcessStatus["state"] = "stopped";
  #since: number;
  #restarts = 0;
  #cancel: (() => void) | null = null;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.#since = options.now();
  }

  get status(): ProcessStatus {
    return {
      name: this.#options.process.name,
      state: this.#state,
      pid: this.#child?.pid ?? null,
      since: this.#since,
      restarts: this.#restarts,
    };
  }

  /** Starts it at once, even during a restart delay. Does nothing when it runs. */
  start(): void {
    this.#wanted = true;
    if (this.#child === null) this.#spawn();
  }

  /** Stops it and waits until it has exited: SIGTERM first, SIGKILL after four seconds. */
  async stop(): Promise<void> {
    this.#wanted = false;
    this.#cancel?.();
    this.#cancel = null;
    const child = this.#child;
    if (child === null) {
      if (this.#state === "waiting") this.#enter("stopped");
      return;
    }
    child.signal("SIGTERM");
    const cancel = this.#options.after(KILL_TIMEOUT_MS, () => {
      this.#options.log.warn("process.killed", "Killed a process that did not exit on SIGTERM", {
        name: this.#options.process.name,
        pid: child.pid,
      });
      child.signal("SIGKILL");
    });
    await child.ended;
    cancel();
  }

  /** Stops it if it runs, and starts it again. */
  async restart(): Promise<void> {
    await this.stop();
    this.#restarts = 0;
    this.start();
  }

  #spawn(): void {
    const { process, spawn, log, now } = this.#options;
    this.#cancel?.();
    this.#cancel = null;
    const child = spawn();
    this.#child = child;
    this.#enter("running");
    log.debug("process.started", "Started a process", { name: process.name, pid: child.pid });
    const started = now();
    child.ended.then((ending) => this.#ended(ending, started));
  }

  #ended(ending: Ending, started: number): void {
    const { process, log, now, after, onEnd } = this.#options;
    this.#child = null;
    if (!this.#wanted) return this.#enter("stopped");
    if (ending.code === REFUSED) this.#enter("refused");
    else if (process.runs === "once" && ending.code === 0) this.#enter("done");
    else {
      if (now() - started >= HEALTHY_MS) this.#restarts = 0;
      const milliseconds = restartDelay(this.#restarts);
      log.warn("process.exited", "A process ended by itself; it starts again", {
        name: process.name,
        code: ending.code,
        signal: ending.signal ?? undefined,
        pauseMs: milliseconds,
      });
      this.#enter("waiting");
      this.#cancel = after(milliseconds, () => {
        this.#restarts++;
        this.#spawn();
      });
    }
    onEnd?.(this.status);
  }

  #enter(state: ProcessStatus["state"]): void {
    this.#state = state;
    this.#since = this.#options.now();
  }
}
