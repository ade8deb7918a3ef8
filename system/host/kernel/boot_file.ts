import { removeFile, writeDurably } from "../../core/config/files.ts";
import type { Ruleset } from "../../core/kernel/ruleset.ts";
import { renderLoad } from "../../core/kernel/nft/text.ts";

/** Batches the changes of this time into one write. */
const WRITE_DELAY_MS = 1000;
/** After a failed write: the next boot must not load an older ruleset. */
const RETRY_DELAY_MS = 30_000;

/** Options of a {@link BootFile}. */
export interface BootFileOptions {
  readonly path: string;
  /** The last applied ruleset; null where it is not known. */
  readonly ruleset: () => Ruleset | null;
  readonly onError: (message: string) => void;
  /** Default 1 s after a change, 30 s after a failure. */
  readonly writeDelayMs?: number;
  readonly retryDelayMs?: number;
}

const HEAD = "# The last rules that Sluice applied. The next boot loads them before the network.\n";

/**
 * Keeps the last applied ruleset in a file that `nft -f` can load. No change waits for it; the file is
 * removed when Sluice has no tables.
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

  async #write(): Promise<void> {
    const { path, ruleset, onError, retryDelayMs = RETRY_DELAY_MS } = this.#options;
    try {
      const applied = ruleset();
      if (applied === null) return;
      if (applied.tables.length === 0) await removeFile(path);
      else await writeDurably(path, HEAD + renderLoad(applied), "boot");
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
