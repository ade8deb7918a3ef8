import { writeDurably } from "../config/files.ts";
import type { Bus } from "../events/bus.ts";
import type { Log } from "../log/log.ts";
import { pause } from "../time/pause.ts";
import { AwayFault, type SocketClient } from "./socket_client.ts";

/*
 * A feed: what the api decides for a service, such as a plan or a snapshot. The api publishes it as a
 * long poll; the service follows it, and may keep the last value in a file to start from.
 */

/** Longest long poll in milliseconds; the service then polls again. */
const LONG_POLL_TIMEOUT_MS = 20_000;
/** Milliseconds between two looks at a value while a service waits: not every cause has an event. */
const LOOK_INTERVAL_MS = 500;
/** Milliseconds before the next poll after a failure, and after a value that needs a second attempt. */
const RETRY_DELAY_MS = 500;
/** Milliseconds between two values, so that many changes in a row do not become as many values. */
const POLL_INTERVAL_MS = 20;

/** One value of a feed. */
export interface FeedValue {
  /** Tells this content from any other. */
  readonly tag: string;
  /** False while the api has not decided anything yet: the service stays as it is. */
  readonly decided?: boolean;
}

/** Waits until the value is another than the one with the known tag, or the wait is over; answers it. */
export type Poll<Value> = (known: string) => Promise<Value>;

/** What the api's side of every feed needs. */
export interface FeedDeps {
  readonly bus: Pick<Bus, "subscribe">;
  /** Ends every wait. */
  readonly ending: AbortSignal;
}

/** The api's side of a feed whose value is always at hand. Throws what `current` throws. */
export function publishFeed<Value extends FeedValue>(
  deps: FeedDeps,
  current: () => Value,
): Poll<Value> {
  return async (known) => {
    await waitForNews(deps, () => current().tag !== known);
    return current();
  };
}

/**
 * Waits until `isNews`, the end of the api, or the longest long poll. `isNews` is given the milliseconds
 * waited; what it throws reaches the caller alone, neither publishers nor timers.
 */
export async function waitForNews(
  { bus, ending }: FeedDeps,
  isNews: (waited: number) => boolean,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const started = performance.now();
  const look = (): void => {
    try {
      if (ending.aborted || isNews(performance.now() - started)) resolve();
    } catch (error) {
      reject(error);
    }
  };
  let isDue = false;
  const unsubscribe = bus.subscribe(() => {
    // Events often come by the dozen, as those of DNS queries: one look is enough for them.
    if (isDue) return;
    isDue = true;
    queueMicrotask(() => {
      isDue = false;
      look();
    });
  });
  const timer = setInterval(look, LOOK_INTERVAL_MS);
  const late = setTimeout(resolve, LONG_POLL_TIMEOUT_MS);
  try {
    look();
    await promise;
  } finally {
    unsubscribe();
    clearInterval(timer);
    clearTimeout(late);
  }
}

/** A schema as far as a feed needs it. */
interface Shape<Value> {
  parse(raw: unknown): Value;
}

/** A poll of the feed behind a path of the api's socket. */
export function feedPoll<Value>(
  client: Pick<SocketClient, "call">,
  path: string,
  shape: Shape<Value>,
): Poll<Value> {
  return async (known) =>
    shape.parse(JSON.parse(await client.call(`${path}?known=${encodeURIComponent(known)}`)));
}

/** The service's side of a feed. */
export interface FeedFollower<Value> {
  readonly poll: Poll<Value>;
  /** Applies a value; false when it could not be applied whole, so that it must come again soon. */
  readonly apply: (value: Value) => boolean | void | Promise<boolean | void>;
  /** Called after each poll that failed; a later value is applied even if it is the same. */
  readonly lost?: () => void;
  readonly log: Pick<Log, "debug" | "warn">;
  /** Ends following. */
  readonly ending: AbortSignal;
}

/**
 * Polls and applies the values of a feed until the end, whatever fails: an api that is away is polled
 * until it is back. Values that are not decided are not applied.
 */
export async function followFeed<Value extends FeedValue>(
  { poll, apply, lost, log, ending }: FeedFollower<Value>,
): Promise<void> {
  let known = "", lastProblem = "";
  while (!ending.aborted) {
    let delay = POLL_INTERVAL_MS;
    try {
      const value = await poll(known);
      const applied = value.decided === false || await apply(value) !== false;
      known = applied ? value.tag : "";
      if (!applied) delay = RETRY_DELAY_MS;
      lastProblem = "";
    } catch (error) {
      if (ending.aborted) return;
      known = "";
      delay = RETRY_DELAY_MS;
      lost?.();
      lastProblem = report(log, error, lastProblem);
    }
    await pause(delay, ending);
  }
}

/** Logs a failure, each new one once; an api that is away is not worth a warning. Answers what it was. */
function report(log: FeedFollower<unknown>["log"], error: unknown, last: string): string {
  if (error instanceof AwayFault) {
    log.debug("ipc.api_unreachable", "The api is not reachable", { error });
    return "";
  }
  const problem = String(error);
  if (problem !== last) {
    log.warn("ipc.feed_failed", "Could not use what the api decided", { error });
  }
  return problem;
}

/** The last value of a feed in a file, from which the next run starts while the api is away. */
export class FeedFile<Value> {
  readonly #path: string;
  readonly #shape: Shape<Value>;
  #writing: Promise<void> = Promise.resolve();

  constructor(path: string, shape: Shape<Value>) {
    this.#path = path;
    this.#shape = shape;
  }

  /** The value that an earlier run left; null for none that can be used. */
  async read(): Promise<Value | null> {
    try {
      return this.#shape.parse(JSON.parse(await Deno.readTextFile(this.#path)));
    } catch {
      return null;
    }
  }

  /** Replaces the file in the background; on a disk that takes nothing the earlier one stays. */
  write(value: Value): void {
    this.#writing = this.#writing.then(async () => {
      await writeDurably(this.#path, `${JSON.stringify(value)}\n`, "new");
    }).catch(() => {});
  }

  /** Resolves once everything given so far is written. */
  async settled(): Promise<void> {
    await this.#writing;
  }
}
