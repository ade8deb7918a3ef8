import type { Config } from "../config.ts";
import type { Bus } from "../core/events/bus.ts";
import type { ChangeEngine } from "../core/engine/change.ts";
import type { NoticeBoard } from "../core/events/notice.ts";
import { type Alarm, timeoutAlarm } from "../core/time/timeouts.ts";
import { failingTests } from "./tests.ts";

/** Kind of the notices of tests that do not hold, one for each test. */
const KIND = "reach-test";

/** Milliseconds for which further events are waited for: one look tells what all of them left. */
const DEBOUNCE_MS = 500;

/** What the watch needs; the alarm comes from outside so that tests own time. */
export interface ReachWatchDeps {
  readonly engine: Pick<ChangeEngine<Config>, "config" | "desired" | "planner">;
  readonly bus: Pick<Bus, "subscribe">;
  readonly notices: NoticeBoard;
  readonly alarm?: Alarm;
  readonly log: (error: unknown) => void;
}

/** A running watch. `look` is what follows an event. */
export interface ReachWatch {
  check(): Promise<void>;
  /** Waits for a look that has begun. */
  stop(): Promise<void>;
}

/**
 * Tells people about tests that do not hold, whatever broke them: a forced write, an edited file, a
 * change that was rolled back, a device that moved. The guard of writes refuses only what it may.
 */
export function watchReach(deps: ReachWatchDeps): ReachWatch {
  const { engine, bus, notices, log } = deps;
  const alarm = deps.alarm ?? timeoutAlarm;
  // The text published for each failing test; null before the first check, when notices of an earlier run
  // may be open.
  let published: ReadonlyMap<string, string> | null = null;
  let seen: { readonly desired: object; readonly tests: object } = { desired: {}, tests: [] };
  let cancel: (() => void) | null = null;
  let looking = Promise.resolve();

  async function compare(): Promise<void> {
    const { desired, config, planner } = engine;
    if (published !== null && seen.desired === desired && seen.tests === config.reachTests) return;
    seen = { desired, tests: config.reachTests };
    const broken = failingTests(config.reachTests, engine, planner);
    if (published === null && broken.size === 0) await notices.settle(KIND);
    const before = published ?? new Map(config.reachTests.map(({ Name }) => [Name, ""]));
    for (const name of before.keys()) {
      if (!broken.has(name)) await notices.settle(KIND, name);
    }
    for (const [name, detail] of broken) {
      if (before.get(name) !== detail) await notices.open(KIND, detail, { subject: name });
    }
    published = broken;
  }

  function look(): Promise<void> {
    looking = looking.then(compare).catch(log);
    return looking;
  }

  function soon(): void {
    cancel ??= alarm(() => {
      cancel = null;
      void look();
    }, DEBOUNCE_MS);
  }

  const unsubscribe = bus.subscribe(({ topic }) => {
    if (!topic.startsWith("notices") && !topic.startsWith("alert:")) soon();
  });
  soon();
  return {
    check: look,
    async stop(): Promise<void> {
      unsubscribe();
      cancel?.();
      await looking;
    },
  };
}
