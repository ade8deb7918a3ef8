/** Bytes that may wait for a reader that has stopped reading, such as a paused terminal. */
const MAX_PENDING_BYTES = 1024 * 1024;

/**
 * Lines for a reader who may be slow: a writer never waits, and what cannot wait any longer is
 * left out, which a line says once there is place again.
 */
export class LineOutput {
  readonly #write: (bytes: Uint8Array) => Promise<number>;
  readonly #encoder = new TextEncoder();
  readonly #limit: number;
  #lines: string[] = [];
  #size = 0;
  #left = 0;
  #busy: Promise<void> | null = null;

  /** `write` writes some of the bytes and answers how many; `limit` is in bytes. */
  constructor(write: (bytes: Uint8Array) => Promise<number>, limit: number = MAX_PENDING_BYTES) {
    this.#write = write;
    this.#limit = limit;
  }

  /** Adds a line, which ends with a line feed. */
  add(line: string): void {
    if (this.#size + line.length > this.#limit) {
      this.#left++;
      return;
    }
    if (this.#left > 0) {
      this.#push(`${this.#left} lines were left out here: nobody read them in time\n`);
      this.#left = 0;
    }
    this.#push(line);
    this.#busy ??= this.#drain();
  }

  /** Resolves once everything is written, or the reader is gone. */
  async flush(): Promise<void> {
    await this.#busy;
  }

  #push(line: string): void {
    this.#lines.push(line);
    this.#size += line.length;
  }

  async #drain(): Promise<void> {
    try {
      while (this.#lines.length > 0) {
        const bytes = this.#encoder.encode(this.#lines.join(""));
        const size = this.#size;
        this.#lines = [];
        for (let done = 0; done < bytes.length;) done += await this.#write(bytes.subarray(done));
        this.#size -= size;
      }
    } catch {
      // The reader of the lines is gone (a closed pipe); the work must go on without them.
      this.#size = 0;
      this.#lines = [];
    } finally {
      this.#busy = null;
    }
  }
}
