import type { Caller } from "../change.ts";
import type { ChangeJob } from "../queue.ts";
import type { DecidedChange } from "../decide.ts";
import { changedNames, draftImage } from "../journal/change_rows.ts";
import { imageDigest } from "./config_files.ts";
import type { Reading, RejectedEntry } from "../../config/document.ts";
import { diskError, isFileError } from "../../errors/disk_error.ts";
import { digest } from "../../config/json.ts";
import { errorText } from "../../errors/error_text.ts";
import { Problem } from "../../errors/problem.ts";
import type { Parts } from "../parts.ts";
import { FOREIGN_FILE, reject, reportUnreadable, restore } from "./restore.ts";
import { ConfigWatch } from "./watch_configs.ts";
import { inTurns } from "../../time/slices.ts";

const FILE: Caller = { by: "file", from: null, connection: null };

/** How edits get their turn, and how they become changes. */
export interface EditedFilesOptions<C> {
  readonly folder: string;
  /** Runs work in its turn in the engine's queue. */
  readonly turn: (run: () => Promise<void>) => Promise<void>;
  /** Takes a change at once; called within a turn. Never throws. */
  readonly change: (job: ChangeJob<C>) => Promise<void>;
}

type Name<C> = keyof C & string;

/** Takes in what people wrote into the files. All methods but `watch` and `close` run within a turn. */
export class EditedFiles<C> {
  readonly #parts: Parts<C>;
  readonly #options: EditedFilesOptions<C>;
  /** Texts that could not be used at the first look. */
  readonly #unusable = new Map<string, string>();
  /** Files that could not be read, with the reason. */
  readonly #unreadable = new Map<Name<C>, string>();
  #watch: ConfigWatch | null = null;

  constructor(parts: Parts<C>, options: EditedFilesOptions<C>) {
    this.#parts = parts;
    this.#options = options;
  }

  /** Follows edits as they are made. */
  watch(): void {
    const { files, log } = this.#parts;
    try {
      this.#watch = new ConfigWatch(this.#options.folder, (path) => {
        const name = files.nameAt(path);
        if (name === undefined) return;
        this.#options.turn(() => this.#onEdit(name))
          .catch((error) =>
            log.error(
              "engine.edited_file_unreadable",
              "Could not read an edited configuration file",
              { path, error },
            )
          );
      });
    } catch (error) {
      log.warn(
        "engine.edits_not_watched",
        "Edits of configuration files are noticed at the next start only",
        { error },
      );
    }
  }

  async close(): Promise<void> {
    await this.#watch?.close();
  }

  /** Takes in whatever was edited. A file that merely lags behind was not. */
  async adoptAll(): Promise<void> {
    const { files } = this.#parts;
    const touched = await Promise.all(files.names.map((name) => files.touched(name)));
    await this.adoptEach(files.names.filter((_, index) => touched[index]));
  }

  /**
   * Takes in these files. What a full disk does not let in waits where it is: the active configuration
   * stays, and the start goes on.
   */
  async adoptEach(names: readonly Name<C>[]): Promise<void> {
    const { files, log } = this.#parts;
    for (const name of names) {
      try {
        await this.inspect(name, true);
      } catch (error) {
        if (!isFileError(error)) throw error;
        log.error("engine.edit_not_adopted", "Could not adopt an edited configuration file yet", {
          path: files.path(name),
          error,
        });
      }
    }
  }

  /** Takes in edits of the files that changes are about to replace. True when something was edited. */
  async adoptBefore(decided: readonly DecidedChange<C>[]): Promise<boolean> {
    if (decided.some(({ job }) => job.file !== undefined)) return false;
    const { files } = this.#parts;
    const names = changedNames(decided);
    const touched = await Promise.all(names.map((name) => files.touched(name)));
    const edited = names.filter((_, index) => touched[index]);
    for (const name of edited) {
      await this.inspect(name, true);
      await this.#setAside(name);
    }
    return edited.length > 0;
  }

  async #onEdit(name: Name<C>): Promise<void> {
    if (
      await this.#parts.files.touched(name) || this.#unusable.has(name) ||
      this.#unreadable.has(name)
    ) {
      await this.inspect(name, false);
    }
  }

  /** Continues after a start that has reported these files as unreadable. */
  markUnreadable(unreadable: ReadonlyMap<Name<C>, string>): void {
    for (const [name, reason] of unreadable) this.#unreadable.set(name, reason);
  }

  /** Looks again at files that could not be read: a change of owner is no change of the file. */
  async readAgain(): Promise<void> {
    await this.adoptEach([...this.#unreadable.keys()]);
  }

  /** Clears the place of a file that is about to be written. Throws Problem where that cannot be. */
  async #setAside(name: Name<C>): Promise<void> {
    if (!this.#unreadable.has(name)) return;
    const { files, log } = this.#parts;
    const { path } = files.document(name);
    try {
      const kept = await files.reject(name);
      log.warn("engine.file_set_aside", "Kept a configuration file that cannot be read", {
        path,
        kept,
      });
    } catch (error) {
      throw new Problem(
        500,
        `configs/${path} cannot be read, nor moved out of the way: ${errorText(error)}`,
        { cause: error },
      );
    }
  }

  async #onUnreadable(name: Name<C>, reason: string): Promise<void> {
    if (this.#unreadable.get(name) === reason) return;
    this.#unreadable.set(name, reason);
    await reportUnreadable(name, reason, this.#parts);
  }

  /** Compares a file with the active configuration. Unless `final`, a doubtful file is looked at twice. */
  async inspect<K extends Name<C>>(name: K, final: boolean): Promise<void> {
    const { files, active, notices } = this.#parts;
    const found = await files.find(name);
    if (found.kind === "unreadable") return await this.#onUnreadable(name, found.reason);
    if (this.#unreadable.delete(name)) {
      await notices.settle("config-unreadable", files.document(name).path);
    }
    if (found.kind === "ours") return;
    const image = active.imageOf(name);
    if (found.kind === "read") {
      this.#unusable.delete(name);
      if (found.digest === imageDigest(image)) return;
      if (digest(found.reading.value) === digest(image.value)) {
        return await this.#keepRejected(name, found.reading);
      }
      if (found.foreign) {
        await reject(name, FOREIGN_FILE, this.#parts);
        return await restore(name, image, this.#parts);
      }
      return await this.#adopt(name, found.reading);
    }
    const text = found.kind === "broken" ? found.text : "";
    if (!final && this.#watch !== null && this.#unusable.get(name) !== text) {
      this.#unusable.set(name, text);
      return this.#watch.recheck(files.path(name));
    }
    this.#unusable.delete(name);
    const { fallback, path } = files.document(name);
    if (found.kind === "broken") await reject(name, found.reason, this.#parts);
    else if (digest(image.value) === digest(fallback)) return;
    else {
      const detail = `configs/${path} was gone; it is written again from the active configuration`;
      await notices.open("config-missing", detail, { subject: path });
    }
    await restore(name, image, this.#parts);
  }

  async #adopt<K extends Name<C>>(name: K, reading: Reading<C[K]>): Promise<void> {
    const { files, active, notices } = this.#parts;
    const { path } = files.document(name);
    const { promise, resolve, reject: refuse } = Promise.withResolvers<unknown>();
    promise.catch(() => {}); // Awaited below, after the change has had its turn.
    await this.#options.change({
      kind: "change",
      command: {
        kind: "file.edit",
        summary: `Edited ${path} by hand`,
        reduce: (config) => [{ ...config, [name]: reading.value }, undefined],
      },
      options: { caller: FILE },
      unguarded: true,
      file: { name, rejected: reading.rejected },
      resolve,
      reject: refuse,
    });
    try {
      await promise;
      await notices.settle("config-rejected", path);
      await this.reportRejected(name);
    } catch (error) {
      // The file is not to blame; it is looked at again before the next change of it.
      if (diskError(error) !== null) throw error;
      await reject(name, error instanceof Error ? error.message : String(error), this.#parts);
      await restore(name, active.imageOf(name), this.#parts);
    }
  }

  /** The decisions are the same, and only entries that are rejected differ. */
  async #keepRejected(
    name: Name<C>,
    image: { value: unknown; rejected: readonly RejectedEntry[] },
  ): Promise<void> {
    const { active, journal } = this.#parts;
    await journal.keepImages([await inTurns(draftImage(name, image, journal.last))]);
    active.setRejected(name, image.rejected);
    await this.reportRejected(name);
  }

  /** Tells people which entries of which files are rejected; of one document or all of them. */
  async reportRejected(only?: Name<C>): Promise<void> {
    const { files, active, notices } = this.#parts;
    for (const name of only === undefined ? files.names : [only]) {
      const { path } = files.document(name);
      const { rejected } = active.imageOf(name);
      if (rejected.length === 0) await notices.settle("config-entries-rejected", path);
      else {
        const first = rejected[0]!;
        await notices.open(
          "config-entries-rejected",
          `${rejected.length} of the entries in configs/${path} cannot be used and are not applied. ` +
            `The first is ${first.pointer || "the whole file"}: ${first.message}`,
          {
            subject: path,
            entries: rejected.slice(0, 100).map(({ pointer, message }) => ({ pointer, message })),
          },
        );
      }
    }
  }
}
