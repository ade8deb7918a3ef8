/** Calls back after some milliseconds unless the returned function is called first. */
export type Timer = (ms: number, run: () => void) => () => void;

/** Thrown when no slot became free in time. */
export class NoSlotError extends Error {
  override readonly name = "NoSlot";
}

/** Limits concurrent work; further work is queued, for a limited time. */
export class HashSlots {
  readonly #limits: {
    readonly atOnce: number;
    readonly waiting: number;
    readonly patience: number;
  };
  readonly #timer: Timer;
  readonly #queue: (() => void)[] = [];
  #running = 0;

  /** `patience` in milliseconds. */
  constructor(
    limits: { readonly atOnce: number; readonly waiting: number; readonly patience: number },
    timer: Timer = systemTimer,
  ) {
    this.#limits = limits;
    this.#timer = timer;
  }

  /** Throws {@link NoSlotError} when no slot became free in time. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running < this.#limits.atOnce) this.#running++;
    else await this.#wait();
    try {
      return await work();
    } finally {
      const next = this.#queue.shift();
      if (next) next();
      else this.#running--;
    }
  }

  #wait(): Promise<void> {
    if (this.#queue.length >= this.#limits.waiting) return Promise.reject(new NoSlotError());
    return new Promise((resolve, reject) => {
      const enter = () => {
        cancel();
        resolve();
      };
      const cancel = this.#timer(this.#limits.patience, () => {
        this.#queue.splice(this.#queue.indexOf(enter), 1);
        reject(new NoSlotError());
      });
      this.#queue.push(enter);
    });
  }
}

function systemTimer(ms: number, run: () => void): () => void {
  const id = setTimeout(run, ms);
  return () => clearTimeout(id);
}
