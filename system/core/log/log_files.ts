import { join } from "node:path";
import { openKept } from "../config/files.ts";

/** How much is kept of the lines of all processes. */
export interface LogFilesOptions {
  /** Bytes after which a new file is begun; default 4 MiB. */
  readonly size?: number;
  /** Files that are kept, the one being written among them; default 4. */
  readonly count?: number;
}

/** The newest lines of all processes, where a launcher runs them. */
export function logFile(home: string): string {
  return join(home, "state/logs/sluice.jsonl");
}

const MAX_FILE_BYTES = 4 * 1024 * 1024;
const MAX_FILES = 4;

/**
 * The lines of all processes in a file that is replaced by a fresh one when it is full; the oldest
 * file goes. Writing never throws: a full disk must not take the launcher down.
 */
export class LogFiles implements Disposable {
  readonly #path: string;
  readonly #limit: number;
  readonly #count: number;
  readonly #encoder = new TextEncoder();
  #file: Deno.FsFile | null = null;
  #size = 0;
  /** A line was cut in the middle, so that the next one must not go on behind it. */
  #torn = false;

  /** `path` is that of the newest file; older ones end in `.1`, `.2`, … */
  constructor(path: string, options: LogFilesOptions = {}) {
    this.#path = path;
    this.#limit = options.size ?? MAX_FILE_BYTES;
    this.#count = options.count ?? MAX_FILES;
  }

  /** Adds a line, which ends with a line feed. */
  append(line: string): void {
    const bytes = this.#encoder.encode(this.#torn ? `\n${line}` : line);
    let done = 0;
    try {
      const file = this.#open();
      while (done < bytes.length) done += file.writeSync(bytes.subarray(done));
      this.#torn = false;
      this.#size += bytes.length;
      if (this.#size >= this.#limit) this.#turnOver();
    } catch {
      // The same line stands on the standard error; the next one tries again.
      if (done > 0 && done < bytes.length) this.#torn = true;
      this[Symbol.dispose]();
    }
  }

  [Symbol.dispose](): void {
    this.#file?.close();
    this.#file = null;
  }

  #open(): Deno.FsFile {
    if (this.#file !== null) return this.#file;
    this.#file = openKept(this.#path, { append: true, mode: 0o640 });
    this.#size = this.#file.statSync().size;
    return this.#file;
  }

  #turnOver(): void {
    this[Symbol.dispose]();
    for (let age = this.#count - 1; age > 0; age--) {
      const from = age === 1 ? this.#path : `${this.#path}.${age - 1}`;
      try {
        Deno.renameSync(from, `${this.#path}.${age}`);
      } catch (error) {
        if (!(error instanceof Deno.errors.NotFound)) throw error;
      }
    }
    if (this.#count === 1) Deno.removeSync(this.#path);
  }
}

/** The texts of the files, newest file first; none where nothing was written yet. */
export async function* logTexts(path: string): AsyncGenerator<string> {
  for (let age = 0;; age++) {
    try {
      yield await Deno.readTextFile(age === 0 ? path : `${path}.${age}`);
    } catch (error) {
      // The newest one is missing for a moment when it was just replaced.
      if (error instanceof Deno.errors.NotFound && age === 0) continue;
      if (error instanceof Deno.errors.NotFound) return;
      throw error;
    }
  }
}
