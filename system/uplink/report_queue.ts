import { Problem } from "../core/errors/problem.ts";

/** What sending reports needs from outside. */
export interface ReportsDeps {
  readonly pause: (milliseconds: number) => Promise<void>;
  readonly ended: () => boolean;
}

/** Milliseconds before what was not taken is sent again. */
const AGAIN = 500;

/** Sends reports until they are taken; of those about one thing only the last counts. */
export class Reports {
  readonly #deps: ReportsDeps;
  readonly #waiting = new Map<string, () => Promise<void>>();
  #wake: (() => void) | null = null;

  constructor(deps: ReportsDeps) {
    this.#deps = deps;
  }

  /** Takes the place of an earlier report about the same. */
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
        // What is refused would be refused again.
        if (refused && this.#waiting.get(about) === send) this.#waiting.delete(about);
        else await this.#deps.pause(AGAIN);
      }
    }
  }

  async #idle(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    await Promise.race([promise, this.#deps.pause(AGAIN)]);
    this.#wake = null;
  }
}
