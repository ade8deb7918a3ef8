/** Milliseconds for which an api that came back may name no links because it is merely starting. */
export const STARTING = 10_000;

/**
 * Whether the api's word on links counts. One that has just started names none before it has its
 * kernel: nobody's lease is to suffer from that.
 */
export class Contact {
  readonly #clock: () => number;
  #since: number | null = null;

  /** `clock` in milliseconds. */
  constructor(clock: () => number) {
    this.#clock = clock;
  }

  /** True while the api answers. */
  get stands(): boolean {
    return this.#since !== null;
  }

  /** The api did not answer. */
  lost(): void {
    this.#since = null;
  }

  /** The api answered: true when these links are to be taken in place of the known ones. */
  counts(known: readonly string[], named: readonly string[]): boolean {
    this.#since ??= this.#clock();
    const isStarting = this.#clock() - this.#since < STARTING;
    return named.length > 0 || known.length === 0 || !isStarting;
  }
}
