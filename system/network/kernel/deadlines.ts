import { Problem } from "../../core/errors/problem.ts";

/** Timeouts in seconds of each kind of call to netd. */
export interface NetdDeadlines {
  readonly read: number;
  readonly write: number;
  /** A whole load with hundreds of thousands of elements takes seconds on a small router. */
  readonly load: number;
}

/** Longer than the timeout of a tool, shorter than that of the api for netd. */
export const NETD_DEADLINES: NetdDeadlines = { read: 20, write: 35, load: 90 };

/** A call that has a deadline. */
export interface TimedCall {
  readonly call: string;
  /** Called when the deadline passed. */
  readonly stuck: (call: string) => void;
}

/** Resolves as the work does. Throws Problem 502 when it takes longer than so many seconds. */
export async function withinDeadline<T>(
  seconds: number,
  work: Promise<T>,
  { call, stuck }: TimedCall,
): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      stuck(call);
      reject(new Problem(502, `${call} did not finish within ${seconds} seconds; netd restarts`));
    }, seconds * 1000);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
