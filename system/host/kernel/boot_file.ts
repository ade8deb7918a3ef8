import { removeFile, writeDurably } from "../../core/config/files.ts";
import type { Ruleset } from "../../core/kernel/ruleset.ts";
import { renderLoad } from "../../core/kernel/nft/text.ts";

/** Milliseconds after a change in which further ones are written along with it. */
const GATHER = 1000;
/** Milliseconds until a file that could not be written is tried again: the next boot must not load an older one. */
const AGAIN = 30_000;

/** What a {@link BootFile} works with. */
export interface BootFileOptions {
  readonly path: string;
  /** What was applied last; null where that is not known. */
  readonly ruleset: () => Ruleset | null;
  readonly complain: (message: string) => void;
  /** Milliseconds; default 1 s after a change, 30 s after a failure. */
  readonly gather?: number;
  readonly again?: number;
}

const HEAD = "# The last rules that Sluice applied. The next boot loads them before the network.\n";

/**
 * Keeps the last applied ruleset in a file that `nft -f` loads by itself. Nothing waits for it; it is
 * gone when there are no tables of ours.
 */
export class BootFile {
  readonly #options: BootFileOptions;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #writing: Promise<void> = Promise.resolve();
  #closed = false;
  /** Why it could not be written the last time: said once. */
  #failure = "";

  constructor(options: BootFileOptions) {
    this.#options = options;
  }

  /** The ruleset changed. */
  changed(): void {
    this.#timer ??= setTimeout(() => void this.flush(), this.#options.gather ?? GATHER);
  }

  /** Writes what waits, for the last time. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.flush();
  }

  /** Writes now what waits. */
  async flush(): Promise<void> {
    if (this.#timer !== null) {
      clearTimeout(this.#timer);
      this.#timer = null;
      this.#writing = this.#writing.then(() => this.#write());
    }
    await this.#writing;
  }

  async #write(): Promise<void> {
    const { path, ruleset, complain, again = AGAIN } = this.#options;
    try {
      const applied = ruleset();
      if (applied === null) return;
      if (applied.tables.length === 0) await removeFile(path);
      else await writeDurably(path, HEAD + renderLoad(applied), "boot");
      this.#failure = "";
    } catch (error) {
      const words = error instanceof Error ? error.message : String(error);
      if (words !== this.#failure) {
        complain(`The rules for the next boot could not be written: ${words}`);
      }
      this.#failure = words;
      if (!this.#closed) this.#timer ??= setTimeout(() => void this.flush(), again);
    }
  }
}
