/** A piece of work that takes a share of the machine. */
export interface Job {
  /** Cores that it keeps busy; half a one where it mostly waits. */
  readonly cores: number;
  /** About how long it takes. */
  readonly seconds: number;
  run(): Promise<void>;
}

/**
 * Runs jobs beside each other as far as their cores are free, the longest first and otherwise in their
 * order, so that none is left to run alone at the end; one that asks for more cores than there are
 * gets the machine to itself. Rejects with the first error after all have ended.
 */
export async function runPool(jobs: readonly Job[], cores: number): Promise<void> {
  const waiting = jobs.toSorted((a, b) => b.seconds - a.seconds);
  const running = new Set<Promise<void>>();
  const errors: unknown[] = [];
  let free = cores;
  const startNext = (): boolean => {
    const next = waiting.findIndex((job) => Math.min(job.cores, cores) <= free);
    if (next < 0) return false;
    const [job] = waiting.splice(next, 1);
    const share = Math.min(job!.cores, cores);
    free -= share;
    const work: Promise<void> = job!.run().catch((error) => void errors.push(error)).finally(() => {
      free += share;
      running.delete(work);
    });
    running.add(work);
    return true;
  };
  while (waiting.length > 0 || running.size > 0) {
    while (startNext());
    await Promise.race(running);
  }
  if (errors.length > 0) throw errors[0];
}
