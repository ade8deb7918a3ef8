import type { Log } from "../log/log.ts";

const SIGNALS = ["SIGTERM", "SIGINT"] as const;

/** A service that runs until it is stopped, or ends by itself. */
export interface Running {
  stop(): Promise<void>;
  /** Resolves with an exit status when it ends by itself; absent: it never does. */
  readonly ended?: Promise<number>;
}

/** Options of {@link untilStopped}. */
export interface LifetimeOptions {
  readonly log: Log;
  /** Resolves when the parent is gone; null where it is not watched. */
  readonly gone: Promise<void> | null;
  /** The process exits when stopping takes longer. */
  readonly stopTimeoutMs: number;
}

/**
 * Runs until SIGTERM or SIGINT arrives, the parent is gone, or the service ends by itself; then stops it
 * and returns the exit status: 0 after a requested stop. Called while the service starts: a signal
 * then stops it once it has started, so that no socket is left behind. Throws what starting throws.
 */
export async function untilStopped(
  starting: Promise<Running>,
  options: LifetimeOptions,
): Promise<number> {
  const { log, gone, stopTimeoutMs } = options;
  const stopRequest = Promise.withResolvers<number>();
  const stop = (): void => stopRequest.resolve(0);
  for (const signal of SIGNALS) Deno.addSignalListener(signal, stop);
  gone?.then(stop);
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    const ended = starting.then(({ ended }) => ended ?? stopRequest.promise);
    const status = await Promise.race([stopRequest.promise, ended]);
    timer = setTimeout(() => {
      log.warn("process.stop_timed_out", "Stopping took too long; ending all the same");
      Deno.exit(status);
    }, stopTimeoutMs);
    await (await starting).stop();
    return status;
  } finally {
    clearTimeout(timer);
    for (const signal of SIGNALS) Deno.removeSignalListener(signal, stop);
  }
}

/** Resolves when the parent process has exited: its ID is then another than at the call. */
export function parentGone(everyMs: number): Promise<void> {
  const parent = Deno.ppid;
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      if (Deno.ppid === parent) return;
      clearInterval(timer);
      resolve();
    }, everyMs);
    // The timer alone must not keep a process alive.
    Deno.unrefTimer(timer);
  });
}

/** Logs uncaught errors instead of exiting: one bad event must not end the management plane. */
export function logUncaughtErrors(log: Log): void {
  globalThis.addEventListener("error", (event) => {
    event.preventDefault();
    log.error("process.uncaught_error", "Uncaught error", { error: event.error });
  });
  globalThis.addEventListener("unhandledrejection", (event) => {
    event.preventDefault();
    log.error("process.unhandled_rejection", "Unhandled rejection", { error: event.reason });
  });
}
