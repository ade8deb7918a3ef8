import { dirname } from "node:path";
import { removeFile, syncFolder, writeDurably } from "../../core/config/files.ts";
import { exists } from "../../core/config/folders.ts";
import type { Ruleset } from "../../core/kernel/ruleset.ts";
import { renderLoad } from "../../core/kernel/nft/text.ts";

/** Batches the changes of this time into one write. */
const WRITE_DELAY_MS = 1000;
/**
 * Lines that are appended before the whole file is written anew: at leisure, and at the latest with the
 * change that takes access away.
 */
const MAX_LINES = { atLeisure: 64, atMost: 1024 } as const;
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
 * Keeps the last applied ruleset in a file that `nft -f` can load: the whole, and behind it a line for
 * each change of elements since, so that a change costs no more with many devices. Only what takes access away waits for
 * it; the file is removed when Sluice has no tables.
 */
export class BootFile {
  readonly #options: BootFileOptions;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #writing: Promise<void> = Promise.resolve();
  #closed = false;
  /** Error of the last write: each is reported once. */
  #failure = "";
  /** The last write failed, or what is in force was not known. */
  #isOutdated = false;
  /** Lines that bring the file up to date; null: it must be written whole. */
  #pending: string[] | null = null;
  #appended = 0;

  constructor(options: BootFileOptions) {
    this.#options = options;
  }

  /** Schedules a write. `line`: what brings the file up to date; null: it must be written whole. */
  changed(line: string | null = null): void {
    if (line === null) this.#pending = null;
    else this.#pending?.push(line);
    this.#timer ??= setTimeout(
      () => void this.flush(MAX_LINES.atLeisure),
      this.#options.writeDelayMs ?? WRITE_DELAY_MS,
    );
  }

  /** Writes pending changes and schedules no more. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.flush();
  }

  /** Writes pending changes now, appended where the file has no more than `lines` of them. */
  async flush(lines: number = MAX_LINES.atMost): Promise<void> {
    if (this.#timer !== null) {
      clearTimeout(this.#timer);
      this.#timer = null;
      this.#writing = this.#writing.then(() => this.#writePending(lines));
    }
    await this.#writing;
  }

  /**
   * Writes pending changes now, of which one takes access away. Where that fails, or netd was restarted
   * and does not know yet what is in force, the file goes: without one the next boot forwards nothing,
   * with an older one it would give back what was taken.
   */
  async flushNarrowed(): Promise<void> {
    await this.flush();
    if (!this.#isOutdated) return;
    const { path, onError } = this.#options;
    try {
      await removeFile(path);
      await syncFolder(dirname(path));
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      onError(`The outdated rules for the next boot could not be removed: ${message}`);
    }
  }

  async #writePending(lines: number): Promise<void> {
    const pending = this.#pending;
    if (pending === null || this.#appended + pending.length > lines) return await this.#write();
    this.#pending = [];
    this.#appended += pending.length;
    try {
      await appendDurably(this.#options.path, pending.join(""));
    } catch {
      // It is gone, or full of half a line: a whole one takes its place.
      await this.#write();
    }
  }

  async #write(): Promise<void> {
    const { path, mark = null, releasedMark = null, ruleset, onError } = this.#options;
    const { retryDelayMs = RETRY_DELAY_MS } = this.#options;
    try {
      this.#pending = null;
      const applied = ruleset();
      this.#isOutdated = applied === null;
      if (applied === null) return;
      if (applied.tables.length === 0) {
        await removeFile(path);
        if (mark !== null) await removeFile(mark);
        if (releasedMark !== null) await writeDurably(releasedMark, "", "boot");
      } else {
        const text = HEAD + renderLoad(applied);
        // What changes while it is written follows as lines.
        this.#pending = [];
        this.#appended = 0;
        await writeDurably(path, text, "boot");
        if (releasedMark !== null) await removeFile(releasedMark);
        if (mark !== null && !await exists(mark)) await writeDurably(mark, "", "boot");
      }
      this.#failure = "";
    } catch (error) {
      this.#pending = null;
      this.#isOutdated = true;
      const message = error instanceof Error ? error.message : String(error);
      if (message !== this.#failure) {
        onError(`The rules for the next boot could not be written: ${message}`);
      }
      this.#failure = message;
      if (!this.#closed) this.#timer ??= setTimeout(() => void this.flush(), retryDelayMs);
    }
  }
}

/** Appends to a file that is there. A line of which a power cut leaves a part, the boot leaves out. */
async function appendDurably(path: string, text: string): Promise<void> {
  if (text === "") return;
  using file = await Deno.open(path, { append: true });
  const bytes = new TextEncoder().encode(text);
  for (let done = 0; done < bytes.length;) done += await file.write(bytes.subarray(done));
  await file.syncData();
}
