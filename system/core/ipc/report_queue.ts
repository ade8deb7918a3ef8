import { Problem } from "../errors/problem.ts";

/** Dependencies of {@link ReportQueue}. */
export interface ReportQueueDeps {
  readonly pause: (milliseconds: number) => Promise<void>;
  readonly ended: () => boolean;
}

/** Milliseconds before a failed report is sent again. */
const RETRY_DELAY_MS = 500;
/** Reports that wait while nobody takes them; the oldest makes room. */
const MAX_PENDING = 16_384;

/** Sends reports until they are accepted; of those with the same key only the last, and of many the newest. */
export class ReportQueue {
  readonly #deps: ReportQueueDeps;
  readonly #pending = new Map<string, () => Promise<void>>();
  #wake: (() => void) | null = null;

  constructor(deps: ReportQueueDeps) {
    this.#deps = deps;
  }

  /** Replaces an earlier report with the same key. */
  enqueue(key: string, send: () => Promise<void>): void {
    // The newest report is sent last.
    this.#pending.delete(key);
    this.#pending.set(key, send);
    if (this.#pending.size > MAX_PENDING) this.#pending.delete(this.#pending.keys().next().value!);
    this.#wake?.();
  }

  async run(): Promise<void> {
    while (!this.#deps.ended()) {
      const [next] = this.#pending;
      if (next === undefined) {
        await this.#idle();
        continue;
      }
      const [key, send] = next;
      try {
        await send();
        if (this.#pending.get(key) === send) this.#pending.delete(key);
      } catch (error) {
        const refused = error instanceof Problem && error.status < 500;
        // A refused report would be refused again.
        if (refused && this.#pending.get(key) === send) this.#pending.delete(key);
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
