import { Problem } from "../core/errors/problem.ts";

/** What sending reports needs from outside. */
export interface ReportsDeps {
  readonly pause: (milliseconds: number) => Promise<void>;
  readonly ended: () => boolean;
}

/** Milliseconds before a failed report is sent again. */
const RETRY_DELAY_MS = 500;

/** Sends reports until they are accepted; of those with the same key only the last. */
export class Reports {
  readonly #deps: ReportsDeps;
  readonly #waiting = new Map<string, () => Promise<void>>();
  #wake: (() => void) | null = null;

  constructor(deps: ReportsDeps) {
    this.#deps = deps;
  }

  /** Replaces an earlier report with the same key. */
  set(about: string, send: () => Promise<void>): void {
    // What is newer goes last.
    this.#waiting.delete(about);
    this.#waiting.set(about, send);
    this.#wake?.();
  }

  async run(): Promise<void> {
    while (!this.#deps.ended()) {
      const [next] = this.#waiting;
      if (next === undefined) {
        await this.#idle();
        continue;
      }
      const [about, send] = next;
      try {
        await send();
        if (this.#waiting.get(about) === send) this.#waiting.delete(about);
      } catch (error) {
        const refused = error instanceof Problem && error.status < 500;
        // A refused report would be refused again.
        if (refused && this.#waiting.get(about) === send) this.#waiting.delete(about);
        else await this.#deps.pause(RETRY_DELAY_MS);
      }
    }
  }

  async #idle(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    await Promise.race([promise, this.#deps.pause(RETRY_DELAY_MS)]);
    this.#wake = null;
  }
}
