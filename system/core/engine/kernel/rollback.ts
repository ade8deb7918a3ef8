import type { Caller, Outcome } from "../change.ts";
import type { ChangeRequest } from "../queue.ts";
import type { Parts } from "../parts.ts";
import { notFound } from "../../errors/problem.ts";
import { undoCommand } from "../journal/undo.ts";

/** Pause between tries of a rollback that fails, in seconds. */
const RETRY_DELAY_S = 5;

const TIMER: Caller = { by: "timer", from: null, connection: null };

/** How a rollback is made, and by what time. */
export interface AutoRevertOptions<C> {
  /** Boot clock, in seconds. */
  readonly clock: () => number;
  /** Takes a change at once; called within a turn. */
  readonly change: (job: ChangeRequest<C>) => Promise<Outcome<unknown>>;
}

/** Reverts the change whose confirm window ran out. */
export class AutoRevert<C> {
  readonly #parts: Parts<C>;
  readonly #options: AutoRevertOptions<C>;
  #retryAt = 0;

  constructor(parts: Parts<C>, options: AutoRevertOptions<C>) {
    this.#parts = parts;
    this.#options = options;
  }

  /** Within a turn: rolls back when it is time, or writes down how much time is left. */
  async tick(): Promise<void> {
    const { window, journal, log } = this.#parts;
    const id = window.change;
    if (id === null) return;
    if (!window.overdue) {
      const left = window.dueSecondsLeft();
      if (left !== null) await journal.keepWindow(id, left);
      return;
    }
    if (this.#options.clock() < this.#retryAt) return;
    try {
      await this.#revert(id);
    } catch (error) {
      this.#retryAt = this.#options.clock() + RETRY_DELAY_S;
      log.error("engine.revert_failed", "Could not revert an unconfirmed change yet", {
        change: id,
        error,
      });
    }
  }

  async #revert(id: string): Promise<void> {
    const { window, journal, documents } = this.#parts;
    const row = await journal.get(id);
    if (row === undefined) throw notFound("There is no such change");
    const outcome = await this.#options.change({
      command: {
        ...undoCommand(row, await journal.since(row.seq), documents),
        summary: `Not confirmed: ${row.summary}`,
      },
      options: { caller: TIMER },
      undoes: id,
      unguarded: true,
    });
    if (outcome.id !== null) return;
    // Nothing is left to revert: the confirm window ends all the same.
    await journal.endWindow(id);
    window.close();
  }
}
