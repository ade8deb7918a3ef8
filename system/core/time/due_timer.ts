import { type Alarm, timeoutAlarm } from "./timeouts.ts";
import type { Bus } from "../events/bus.ts";

/** Longest sleep in milliseconds: a clock that is set while we sleep is noticed within a minute. */
const MAX_SLEEP_MS = 60_000;
/** Sleep after a failure, so that a kernel or a disk that refuses everything is not pestered. */
const RETRY_DELAY_MS = 30_000;

/** What such a timer needs; the clock and the alarm come from outside so that tests own time. */
export interface DueTimerOptions {
  /**
   * Unix milliseconds at which something is due; null: nothing is, and nothing rings until the topic is
   * published. Infinity: nothing is, and it rings each minute all the same.
   */
  readonly next: () => number | null;
  /** Does what is due, if it is; called each time it rings. */
  readonly act: () => Promise<void>;
  /** Unix milliseconds, of the clock that {@link next} goes by. */
  readonly now: () => number;
  /** Shortest sleep in milliseconds. */
  readonly minSleep: number;
  /** What is published when something else may be due. */
  readonly topic: string;
  readonly bus: Pick<Bus, "subscribe">;
  readonly alarm?: Alarm | undefined;
  readonly log: (error: unknown) => void;
}

/** A running timer. `tick` is what happens when it rings. */
export interface DueTimer {
  tick(): Promise<void>;
  stop(): void;
}

/** Has something done whenever it is due, until it is stopped. What fails is tried again later. */
export function startDueTimer(options: DueTimerOptions): DueTimer {
  const { next, act, now, minSleep: shortest, topic, bus, alarm = timeoutAlarm, log } = options;
  let cancel = (): void => {};
  let stopped = false;

  function arm(least: number): void {
    cancel();
    if (stopped) return;
    const due = next();
    if (due === null) return;
    const wait = Math.min(Math.max(due - now(), least), MAX_SLEEP_MS);
    cancel = alarm(() => void tick(), wait);
  }

  async function tick(): Promise<void> {
    let least = shortest;
    try {
      if (!stopped) await act();
    } catch (error) {
      least = RETRY_DELAY_MS;
      log(error);
    } finally {
      arm(least);
    }
  }

  const unsubscribe = bus.subscribe(() => arm(shortest), [topic]);
  arm(shortest);
  return {
    tick,
    stop(): void {
      stopped = true;
      unsubscribe();
      cancel();
    },
  };
}
