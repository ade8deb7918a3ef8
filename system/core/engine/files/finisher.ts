import { draftImage } from "../journal/change_rows.ts";
import { imageDigest } from "./config_files.ts";
import { type ChangeRow, type DocumentRow, RETENTION_MS } from "../journal/journal.ts";
import type { Parts } from "../parts.ts";
import { restore } from "./restore.ts";
import { Turns } from "../../time/slices.ts";

/** Changes of a document after which its whole image is kept anew. */
const CHANGES_PER_IMAGE = 50;

/** Old revisions are removed this often, in milliseconds. */
const PRUNE_INTERVAL_MS = 3600 * 1000;

/**
 * Completes committed changes after their callers were answered: marks them as written, puts files in
 * place that could not be placed, keeps images, and removes old revisions.
 */
export class Finisher<C> {
  readonly #parts: Parts<C>;
  readonly #unplaced = new Set<keyof C & string>();
  readonly #sinceImage = new Map<string, number>();
  #rows: ChangeRow[] = [];
  #prunedAt: number;

  constructor(parts: Parts<C>) {
    this.#parts = parts;
    this.#prunedAt = parts.now();
  }

  /** Changes that are not marked as written yet. */
  get waiting(): number {
    return this.#rows.length;
  }

  add(rows: readonly ChangeRow[], unplaced: readonly (keyof C & string)[] = []): void {
    this.#rows.push(...rows);
    for (const name of unplaced) this.#unplaced.add(name);
    for (const name of rows.flatMap((row) => [...touched(row)])) {
      this.#sinceImage.set(name, (this.#sinceImage.get(name) ?? 0) + 1);
    }
  }

  /** Marks what is complete. A failure is logged: it is tried again, and by the next start. */
  async run(): Promise<void> {
    if (this.#rows.length === 0 || this.#unplaced.size > 0) return;
    const { files, journal, active, log, step } = this.#parts;
    const names = [...new Set(this.#rows.flatMap((row) => [...touched(row)]))] as (
      & keyof C
      & string
    )[];
    const due = names.filter((name) => (this.#sinceImage.get(name) ?? 0) >= CHANGES_PER_IMAGE);
    try {
      const digests = names.map((name) => [name, imageDigest(active.imageOf(name))]);
      await files.settle();
      await journal.written(this.#rows, Object.fromEntries(digests), await this.#images(due));
      this.#rows = [];
      for (const name of due) this.#sinceImage.delete(name);
      step("written");
    } catch (error) {
      log.error("journal.rows_not_marked", "Could not mark changes as written", { error });
    }
  }

  /** Tries files again that could not be placed, and does what is due by time. */
  async tick(): Promise<void> {
    await this.#placeAgain();
    const { active, observations, journal, notices, now, surely, log } = this.#parts;
    try {
      if (await journal.settleDoubt()) await notices.settle("change-in-doubt");
      await observations.flush(active.observed);
      // A clock that was set back counts as well, or nothing would be removed until it is there again.
      if (Math.abs(now() - this.#prunedAt) < PRUNE_INTERVAL_MS) return;
      this.#prunedAt = now();
      // What is removed must not be needed to carry an image on.
      await journal.keepImages(await this.#images(this.#parts.files.names));
      this.#sinceImage.clear();
      await journal.prune(surely() - RETENTION_MS);
    } catch (error) {
      log.error("journal.housekeeping_failed", "Housekeeping failed", { error });
    }
  }

  async close(): Promise<void> {
    const { active, observations, log } = this.#parts;
    await this.#placeAgain();
    await this.run();
    await observations.flush(active.observed, true).catch((error) =>
      log.error("engine.observations_not_written", "Could not write observations", { error })
    );
  }

  async #placeAgain(): Promise<void> {
    if (this.#unplaced.size === 0) return;
    const { files, active, notices, log } = this.#parts;
    try {
      for (const name of this.#unplaced) {
        await restore(name, active.imageOf(name), { files });
        this.#unplaced.delete(name);
      }
      await notices.settle("files-not-written");
    } catch (error) {
      log.error(
        "engine.file_still_not_placed",
        "A configuration file can still not be put in place",
        { error },
      );
    }
  }

  async #images(names: readonly (keyof C & string)[]): Promise<readonly DocumentRow[]> {
    const { active, journal } = this.#parts;
    const turns = new Turns();
    const images: DocumentRow[] = [];
    for (const name of names) {
      images.push(await turns.run(draftImage(name, active.imageOf(name), journal.last)));
    }
    return images;
  }
}

function touched(row: ChangeRow): ReadonlySet<string> {
  return new Set(row.patch.map((entry) => entry.document));
}
