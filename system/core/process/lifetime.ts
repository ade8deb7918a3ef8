import type { Log } from "../log/log.ts";

const SIGNALS = ["SIGTERM", "SIGINT"] as const;

/** Something that runs until it is stopped, or ends by itself. */
export interface Running {
  stop(): Promise<void>;
  /** Resolves with an exit status when it ends by itself; absent: it never does. */
  readonly ended?: Promise<number>;
}

/** What ends a process besides its own end and the signals. */
export interface LifetimeOptions {
  readonly log: Log;
  /** Resolves when whoever started us is gone; null where nobody is watched. */
  readonly gone: Promise<void> | null;
  /** Milliseconds within which stopping must be done; then the process exits all the same. */
  readonly patience: number;
}

/**
 * Lives until SIGTERM or SIGINT arrives, the starter is gone, or the work ends by itself; then stops
 * it and answers the exit status: 0 after a stop that was asked for. Is called while the work starts:
 * a signal then stops it once it has started, rather than kill it with its sockets left behind.
 * Throws what starting throws.
 */
export async function untilStopped(
  starting: Promise<Running>,
  options: LifetimeOptions,
): Promise<number> {
  const { log, gone, patience } = options;
  const asked = Promise.withResolvers<number>();
  const stop = (): void => asked.resolve(0);
  for (const signal of SIGNALS) Deno.addSignalListener(signal, stop);
  gone?.then(stop);
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    const ended = starting.then(({ ended }) => ended ?? asked.promise);
    const status = await Promise.race([asked.promise, ended]);
    timer = setTimeout(() => {
      log.warn("process.stop_timed_out", "Stopping took too long; ending all the same");
      Deno.exit(status);
    }, patience);
    await (await starting).stop();
    return status;
  } finally {
    clearTimeout(timer);
    for (const signal of SIGNALS) Deno.removeSignalListener(signal, stop);
  }
}

/** Resolves when the parent process is another than at the call: ours has ended. */
export function parentGone(everyMs: number): Promise<void> {
  const parent = Deno.ppid;
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      if (Deno.ppid === parent) return;
      clearInterval(timer);
      resolve();
    }, everyMs);
    // The watch alone must not keep a process alive.
    Deno.unrefTimer(timer);
  });
}

/** Logs what nobody caught, rather than ending a router's management plane over one bad event. */
export function catchStrays(log: Log): void {
  globalThis.addEventListener("error", (event) => {
    event.preventDefault();
    log.error("process.uncaught_error", "Uncaught error", { error: event.error });
  });
  globalThis.addEventListener("unhandledrejection", (event) => {
    event.preventDefault();
    log.error("process.unhandled_rejection", "Unhandled rejection", { error: event.reason });
  });
}
