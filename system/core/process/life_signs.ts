/** A line of a child's standard error that says nothing but that its loop goes round. */
export const LIFE_SIGN = "\u0006";

/** Milliseconds between two signs, and between two looks for them. */
export const LIFE_SIGN_INTERVAL_MS = 1000;

/** Seconds without a sign after which a process is ended, unless its descriptor says otherwise. */
export const MAX_SILENCE_S = 60;

/** Gives signs until the returned function is called. One that is not taken yet is not repeated. */
export function giveLifeSigns(write: (bytes: Uint8Array) => Promise<unknown>): () => void {
  const bytes = new TextEncoder().encode(`${LIFE_SIGN}\n`);
  let pending = false;
  const give = (): void => {
    if (pending) return;
    pending = true;
    // Where nobody takes them, the launcher is gone, which the standard input tells.
    write(bytes).catch(() => {}).finally(() => pending = false);
  };
  give();
  const timer = setInterval(give, LIFE_SIGN_INTERVAL_MS);
  Deno.unrefTimer(timer);
  return () => clearInterval(timer);
}

/**
 * Counts the looks that found no sign. Looks, not time: while the whole machine sleeps, or everything
 * of ours is stopped, nobody looks either.
 */
export class LifeWatch {
  readonly #most: number;
  #missed = 0;
  #begun = false;

  /** `most`: looks without a sign after which a process counts as stuck. */
  constructor(most: number) {
    this.#most = most;
  }

  /** A sign came. */
  sign(): void {
    this.#begun = true;
    this.#missed = 0;
  }

  /** Looks. True when it has just become stuck. A process that never gave a sign is not judged. */
  look(): boolean {
    return this.#begun && ++this.#missed === this.#most;
  }
}
