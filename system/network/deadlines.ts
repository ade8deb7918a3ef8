import { Problem } from "../core/errors/problem.ts";

/** Seconds that netd gives each kind of call. */
export interface NetdDeadlines {
  readonly read: number;
  readonly write: number;
  /** A whole load with hundreds of thousands of elements takes seconds on a small router. */
  readonly load: number;
}

/** Longer than what a tool is given before it is killed, shorter than the api waits for netd. */
export const DEADLINES: NetdDeadlines = { read: 20, write: 35, load: 90 };

/** A call that has a deadline. */
export interface TimedCall {
  readonly call: string;
  /** Told when the deadline passed. */
  readonly stuck: (call: string) => void;
}

/** Answers as the work does. Throws Problem 502 when that takes longer than so many seconds. */
export async function answerWithin<T>(
  seconds: number,
  work: Promise<T>,
  { call, stuck }: TimedCall,
): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      stuck(call);
      reject(new Problem(502, `${call} did not end within ${seconds} seconds; netd starts anew`));
    }, seconds * 1000);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
