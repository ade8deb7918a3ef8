import { removeFile, writeDurably } from "../../core/config/files.ts";
import { exists } from "../../core/config/folders.ts";
import type { Ruleset } from "../../core/kernel/ruleset.ts";
import { renderLoad } from "../../core/kernel/nft/text.ts";

/** Batches the changes of this time into one write. */
const WRITE_DELAY_MS = 1000;
/** After a failed write: the next boot must not load an older ruleset. */
const RETRY_DELAY_MS = 30_000;

/** Options of a {@link BootFile}. */
export interface BootFileOptions {
  readonly path: string;
  /** File that exists while there is a ruleset of ours; null: none. */
  readonly mark?: string | null;
  /** File that exists once ours was taken out of the kernel: the next boot loads nothing; null: none. */
  readonly releasedMark?: string | null;
  /** The last applied ruleset; null where it is not known. */
  readonly ruleset: () => Ruleset | null;
  readonly onError: (message: string) => void;
  /** Default 1 s after a change, 30 s after a failure. */
  readonly writeDelayMs?: number;
  readonly retryDelayMs?: number;
}

const HEAD = "# The last rules that Sluice applied. The next boot loads them before the network.\n";

/**
 * Keeps the last applied ruleset in a file that `nft -f` can load. Only what takes access away waits for
 * it; the file is removed when Sluice has no tables.
 */
export class BootFile {
  readonly #options: BootFileOptions;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #writing: Promise<void> = Promise.resolve();
  #closed = false;
  /** Error of the last write: each is reported once. */
  #failure = "";

  constructor(options: BootFileOptions) {
    this.#options = options;
  }

  /** Schedules a write. */
  changed(): void {
    this.#timer ??= setTimeout(
      () => void this.flush(),
      this.#options.writeDelayMs ?? WRITE_DELAY_MS,
    );
  }

  /** Writes pending changes and schedules no more. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.flush();
  }

  /** Writes pending changes now. */
  async flush(): Promise<void> {
    if (this.#timer !== null) {
      clearTimeout(this.#timer);
      this.#timer = null;
      this.#writing = this.#writing.then(() => this.#write());
    }
    await this.#writing;
  }

  /**
   * Writes pending changes now, of which one takes access away. Where that fails the file goes: without
   * one the next boot forwards nothing, with an older one it would give back what was taken.
   */
  async flushNarrowed(): Promise<void> {
    await this.flush();
    if (this.#failure === "") return;
    const { path, onError } = this.#options;
    await removeFile(path).catch((error) =>
      onError(`The outdated rules for the next boot could not be removed: ${error.message}`)
    );
  }

  async #write(): Promise<void> {
    const { path, mark = null, releasedMark = null, ruleset, onError } = this.#options;
    const { retryDelayMs = RETRY_DELAY_MS } = this.#options;
    try {
      const applied = ruleset();
      if (applied === null) return;
      if (applied.tables.length === 0) {
        await removeFile(path);
        if (mark !== null) await removeFile(mark);
        if (releasedMark !== null) await writeDurably(releasedMark, "", "boot");
      } else {
        await writeDurably(path, HEAD + renderLoad(applied), "boot");
        if (releasedMark !== null) await removeFile(releasedMark);
        if (mark !== null && !await exists(mark)) await writeDurably(mark, "", "boot");
      }
      this.#failure = "";
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      if (message !== this.#failure) {
        onError(`The rules for the next boot could not be written: ${message}`);
      }
      this.#failure = message;
      if (!this.#closed) this.#timer ??= setTimeout(() => void this.flush(), retryDelayMs);
    }
  }
}
