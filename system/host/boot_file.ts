import { writeDurably } from "../core/files.ts";
import type { Ruleset } from "../core/ruleset.ts";
import { renderLoad } from "../firewall/text.ts";

/** Milliseconds after a change in which further ones are written along with it. */
const GATHER = 1000;

const HEAD = "# The last rules that Sluice applied. The next boot loads them before the network.\n";

/**
 * Keeps the last applied ruleset in a file that `nft -f` loads by itself. Nothing waits for it; it is
 * gone when there are no tables of ours.
 */
export class BootFile {
  readonly #path: string;
  readonly #ruleset: () => Ruleset | null;
  readonly #complain: (message: string) => void;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #writing: Promise<void> = Promise.resolve();

  constructor(
    path: string,
    ruleset: () => Ruleset | null,
    complain: (message: string) => void,
  ) {
    this.#path = path;
    this.#ruleset = ruleset;
    this.#complain = complain;
  }

  /** The ruleset changed. */
  changed(): void {
    this.#timer ??= setTimeout(() => void this.flush(), GATHER);
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
    try {
      const ruleset = this.#ruleset();
      if (ruleset === null) return;
      if (ruleset.tables.length === 0) await remove(this.#path);
      else await writeDurably(this.#path, HEAD + renderLoad(ruleset), "boot");
    } catch (error) {
      const words = error instanceof Error ? error.message : String(error);
      this.#complain(`The rules for the next boot could not be written: ${words}`);
    }
  }
}

async function remove(path: string): Promise<void> {
  try {
    await Deno.remove(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}
