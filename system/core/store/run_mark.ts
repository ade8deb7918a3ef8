import { isFileError } from "../errors/disk_error.ts";

/** What is known of the last run with a store. */
export interface LastRun {
  /** It ended without closing the store, as in a crash or a power cut. */
  readonly isUnclean: boolean;
  /** How often a damaged page was met since the store was made or last set aside. */
  readonly damages: number;
}

/** A file beside a store: it is there while the store is open, and as long as damage was met in it. */
export class RunMark {
  readonly #path: string;
  #damages = 0;

  constructor(store: string) {
    this.#path = `${store}-run`;
  }

  /** Reads what the last run left. */
  async read(): Promise<LastRun> {
    try {
      const [state, damages] = (await Deno.readTextFile(this.#path)).split(" ");
      this.#damages = Number(damages) || 0;
      return { isUnclean: state !== "closed", damages: this.#damages };
    } catch (error) {
      if (!isFileError(error) && !(error instanceof Deno.errors.NotFound)) throw error;
      return { isUnclean: false, damages: 0 };
    }
  }

  /** The store is open. `isNew`: nothing is left of an earlier one. */
  opened(isNew: boolean): void {
    if (isNew) this.#damages = 0;
    this.#write("open");
  }

  /** A damaged page was met. At once, since the process may end the next moment. */
  damaged(): void {
    this.#damages++;
    this.#write("open");
  }

  /** The store was closed. */
  closed(): void {
    if (this.#damages === 0) this.#onDisk(() => Deno.removeSync(this.#path));
    else this.#write("closed");
  }

  #write(state: "open" | "closed"): void {
    const text = `${state} ${this.#damages}`;
    this.#onDisk(() => Deno.writeTextFileSync(this.#path, text, { mode: 0o600 }));
  }

  /** A full disk keeps no store from being opened, nor does a folder that is gone. */
  #onDisk(work: () => void): void {
    try {
      work();
    } catch (error) {
      if (!isFileError(error) && !(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
}
