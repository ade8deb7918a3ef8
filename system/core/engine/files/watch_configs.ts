/** Time that a file must rest before it is read, in milliseconds: editors write in several steps. */
const SETTLE_DELAY_MS = 100;

/** Time after which a file that cannot be used is looked at again, in milliseconds. */
const RECHECK_DELAY_MS = 500;

/** Watches a folder and names the files that changed, once each has come to rest. */
export class ConfigWatch {
  readonly #watcher: Deno.FsWatcher;
  readonly #timers = new Map<string, ReturnType<typeof setTimeout>>();
  readonly #changed: (path: string) => void;
  readonly #ended: Promise<void>;

  /** `changed` must not throw. Throws what `Deno.watchFs` throws, as when no more can be watched. */
  constructor(folder: string, changed: (path: string) => void) {
    this.#changed = changed;
    this.#watcher = Deno.watchFs(folder, { recursive: true });
    this.#ended = this.#listen();
  }

  /** Names the file again later, unless it changes before. */
  recheck(path: string): void {
    this.#schedule(path, RECHECK_DELAY_MS);
  }

  async close(): Promise<void> {
    this.#watcher.close();
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
    await this.#ended;
  }

  async #listen(): Promise<void> {
    for await (const event of this.#watcher) {
      if (event.kind === "access") continue;
      for (const path of event.paths) this.#schedule(path, SETTLE_DELAY_MS);
    }
  }

  #schedule(path: string, delay: number): void {
    clearTimeout(this.#timers.get(path));
    this.#timers.set(
      path,
      setTimeout(() => {
        this.#timers.delete(path);
        this.#changed(path);
      }, delay),
    );
  }
}
