import type { PatchEntry } from "../change.ts";
import type { Documents } from "../../config/document.ts";
import type { ChangeHead, ChangeRow, HistoryFilter, Journal } from "./journal.ts";
import { maskSteps } from "./secrets.ts";
import { inTurns } from "../../time/slices.ts";
import { touching } from "./patch.ts";
import { conflict, notFound, sentence } from "../../errors/problem.ts";
import type { RestorePoint } from "./restore_point.ts";
import type { ChangeState } from "../../store/schema/journal.ts";

/** A change as a list shows it. Times are unix milliseconds. */
export interface ChangeSummary {
  readonly id: string;
  readonly at: number;
  readonly by: string;
  /** Address that the request came from; null inside the machine. */
  readonly from: string | null;
  readonly kind: string;
  readonly summary: string;
  readonly state: ChangeState;
  /** Change that this one undid. */
  readonly undoes: string | null;
  /** Change that undid this one. */
  readonly undoneBy: string | null;
}

/** A change in full, secrets masked. */
export interface ChangeDetail extends ChangeSummary {
  readonly patch: readonly PatchEntry[];
  /** What changed in the kernel, in nft and ip words. */
  readonly system: readonly string[];
}

/** Reads the journal for people. */
export class History<C> {
  readonly #journal: Journal;
  readonly #documents: Documents<C>;

  constructor(journal: Journal, documents: Documents<C>) {
    this.#journal = journal;
    this.#documents = documents;
  }

  /**
   * Newest first, `limit` at most, from behind the change `after`, those that fit the filter. `next`
   * continues the list. Throws Problem 404 when that change is gone: an end of the list would be no
   * true answer.
   */
  async list(
    limit: number,
    filter: HistoryFilter = {},
  ): Promise<{ readonly items: readonly ChangeSummary[]; readonly next: string | null }> {
    if (filter.after !== undefined) await this.#row(filter.after);
    const rows = await this.#journal.list(limit + 1, filter);
    const shown = rows.slice(0, limit);
    const undone = await this.#journal.undone(shown.map((row) => row.id));
    return {
      items: shown.map((row) => summary(row, undone)),
      next: rows.length > limit ? shown.at(-1)?.id ?? null : null,
    };
  }

  /** Throws Problem 404. */
  async get(id: string): Promise<ChangeDetail> {
    const row = await this.#row(id);
    const undone = await this.#journal.undone([id]);
    const patch = await inTurns(
      maskSteps(row.patch, (name) => this.#documents[name as keyof C] ?? {}),
    );
    return { ...summary(row, undone), patch, system: row.system };
  }

  /** What every change that is kept did, with its secrets: never for people's eyes. */
  patches(): AsyncGenerator<readonly PatchEntry[]> {
    return this.#journal.patches();
  }

  /**
   * The change to undo, and everything active since. Throws Problem: 404 when there is none, 409 when it is not active or a
   * later change touched the same value.
   */
  async undoable(id: string): Promise<RestorePoint> {
    const row = await this.#row(id);
    if (row.state !== "committed" && row.state !== "written") {
      throw conflict("This change is not active", { change: id });
    }
    const later = await this.#journal.since(row.seq);
    const undoneBy = activeUndo(id, later);
    if (undoneBy !== undefined) {
      throw conflict(sentence("This change was undone already, by {id}", { id: undoneBy.id }), {
        change: undoneBy.id,
      });
    }
    const seqs = new Map(later.map((other) => [other.id, other.seq]));
    const overlap = await inTurns(lastTouching(
      row.patch,
      later.filter((other) =>
        activeUndo(other.id, later) === undefined &&
        // An undo of a later change leaves things as this change made them.
        (other.undoes === null || !seqs.has(other.undoes))
      ),
    ));
    if (overlap === undefined) return { row, later };
    throw conflict(
      `A later change touched the same value: "${overlap.summary}" (${overlap.id}). Undo it first`,
      { change: overlap.id },
    );
  }

  /**
   * A change to go back to, and everything active since. Throws Problem: 404 when there is none, 409
   * when it is not active.
   */
  async point(id: string): Promise<RestorePoint> {
    const row = await this.#journal.get(id);
    if (row === undefined) {
      throw notFound(
        "There is no such change; what is older than 90 days or 10,000 changes is gone",
      );
    }
    if (row.state !== "committed" && row.state !== "written") {
      throw conflict("This change never became active, so there is nothing to go back to", {
        change: id,
      });
    }
    return { row, later: await this.#journal.since(row.seq) };
  }

  async #row(id: string): Promise<ChangeRow> {
    const row = await this.#journal.get(id);
    if (row === undefined) throw notFound("There is no such change");
    return row;
  }
}

/** The last of these changes that changes a value which this patch changes. */
function* lastTouching(
  patch: readonly PatchEntry[],
  rows: readonly ChangeRow[],
): Generator<void, ChangeRow | undefined> {
  const touches = yield* touching(patch);
  for (const row of rows.toReversed()) if (yield* touches(row.patch)) return row;
  return undefined;
}

/** The change by which this one is undone today: an undo that was itself undone does not count. */
function activeUndo(id: string, later: readonly ChangeRow[]): ChangeRow | undefined {
  return later.findLast((row) => row.undoes === id && activeUndo(row.id, later) === undefined);
}

function summary(row: ChangeHead, undone: ReadonlyMap<string, string>): ChangeSummary {
  const { id, at, by, source, kind, state, undoes } = row;
  return {
    id,
    at,
    by,
    from: source,
    kind,
    summary: row.summary,
    state,
    undoes,
    undoneBy: undone.get(id) ?? null,
  };
}
