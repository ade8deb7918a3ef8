import type { Bus } from "../events/bus.ts";

/** Longest wait for a change, in milliseconds; the asker then asks again. */
const LONGEST = 20_000;
/** How often the state is looked at while someone waits, in milliseconds: not all of it is told. */
const LOOK = 500;

/** What a long poll waits for. */
export interface Awaited {
  readonly bus: Pick<Bus, "subscribe">;
  /** Ends the wait at once. */
  readonly ending: AbortSignal;
  /** Whether there is something else than the asker knows. */
  readonly isOther: () => boolean;
}

/**
 * Waits until there is something else, the end comes, or the asker has waited long enough. Throws what
 * the look throws, and lets nobody else feel it: listeners and timers must not throw.
 */
export async function longPoll({ bus, ending, isOther }: Awaited): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const look = (): void => {
    try {
      if (ending.aborted || isOther()) resolve();
    } catch (error) {
      reject(error);
    }
  };
  const unsubscribe = bus.subscribe(look);
  const timer = setInterval(look, LOOK);
  const late = setTimeout(resolve, LONGEST);
  try {
    look();
    await promise;
  } finally {
    unsubscribe();
    clearInterval(timer);
    clearTimeout(late);
  }
}
