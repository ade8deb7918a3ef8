import { writeDurably } from "../../core/config/files.ts";
import { fileText } from "../../core/config/json.ts";
import { EMPTY_OUTBOX, Outbox } from "./outbox_schema.ts";

/** What an {@link OutboxFile} needs from outside. */
export interface OutboxFileOptions {
  readonly path: string;
  /** Called with a write that failed; the next change tries again. */
  readonly failed: (error: unknown) => void;
}

/** The outbox in a file: what waits is sent though the router was off meanwhile. */
export class OutboxFile {
  readonly #options: OutboxFileOptions;
  #value: Outbox;
  #written: Outbox;
  #writing: Promise<void> | null = null;

  private constructor(options: OutboxFileOptions, value: Outbox) {
    this.#options = options;
    this.#value = this.#written = value;
  }

  /** Reads the file; one that is absent, broken or of another form counts as empty. */
  static async open(options: OutboxFileOptions): Promise<OutboxFile> {
    try {
      const text = await Deno.readTextFile(options.path);
      return new OutboxFile(options, Outbox.parse(JSON.parse(text)));
    } catch {
      return new OutboxFile(options, EMPTY_OUTBOX);
    }
  }

  get value(): Outbox {
    return this.#value;
  }

  /** Replaces the outbox, and the file with it as soon as the disk takes it. */
  set(value: Outbox): void {
    this.#value = value;
    this.#writing ??= this.#write();
  }

  /** Resolves once everything set so far is written, or the disk refused it. */
  async settled(): Promise<void> {
    while (this.#writing !== null) await this.#writing;
  }

  /** Many changes at once become one write. */
  async #write(): Promise<void> {
    try {
      while (this.#written !== this.#value) {
        const value = this.#value;
        await writeDurably(this.#options.path, fileText(value), "outbox");
        this.#written = value;
      }
    } catch (error) {
      this.#options.failed(error);
    } finally {
      this.#writing = null;
    }
  }
}
