import type { Snapshot } from "./api_schema.ts";

/** Milliseconds for which an api that came back may name no interfaces because it is still starting. */
export const API_START_GRACE_MS = 10_000;

/**
 * Whether the interfaces that the api names are to be taken over. An api that has just started names
 * none before it has read the kernel; leasing must not stop for that.
 */
export class ApiContact {
  readonly #clock: () => number;
  #since: number | null = null;

  /** `clock` in milliseconds. */
  constructor(clock: () => number) {
    this.#clock = clock;
  }

  /** True while the api answers. */
  get isUp(): boolean {
    return this.#since !== null;
  }

  /** The api did not answer. */
  lost(): void {
    this.#since = null;
  }

  /** The api answered: true when these interfaces replace the known ones. */
  accepts(known: readonly string[], next: Pick<Snapshot, "links" | "decided">): boolean {
    this.#since ??= this.#clock();
    const isStarting = this.#clock() - this.#since < API_START_GRACE_MS;
    return next.decided || next.links.length > 0 || known.length === 0 || !isStarting;
  }
}
