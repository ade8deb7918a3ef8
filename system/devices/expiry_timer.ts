import type { Config } from "../config.ts";
import { type Alarm, timeoutAlarm } from "../core/alarm.ts";
import type { Bus } from "../core/bus.ts";
import type { ChangeEngine, Observed } from "../core/change.ts";
import { leaseSeconds } from "../dhcp/schema.ts";
import { expireDevices, nextExpiry } from "./expiry.ts";
import { faded, notAhead, pruned, unseen } from "./observation.ts";

/** Longest sleep in milliseconds: a clock that is set while we sleep is noticed within a minute. */
const LONGEST_SLEEP = 60_000;
const SHORTEST_SLEEP = 1000;
/** Sleep after an expiry that failed, so that a kernel that refuses everything is not pestered. */
const AFTER_FAILURE = 30_000;
/** How long what was seen outlives its device, in milliseconds: an undo within a day finds it. */
const REMEMBERED = 24 * 3600 * 1000;

/** What the timer needs; the clock and the alarm come from outside so that tests own time. */
export interface ExpiryDeps {
  readonly engine: Pick<ChangeEngine<Config>, "config" | "observed" | "change" | "observe">;
  readonly bus: Pick<Bus, "subscribe">;
  /** The best guess of the time, unix milliseconds. */
  readonly now: () => number;
  /** The time that it is at least: a clock that is wrong for a while must end nobody. */
  readonly surely: () => number;
  readonly alarm?: Alarm;
  readonly log: (error: unknown) => void;
}

/** A running timer. `tick` is what happens when it rings. */
export interface ExpiryTimer {
  tick(): Promise<void>;
  stop(): void;
}

/** Disables or deletes devices when their time is up, until it is stopped. */
export function startExpiry(deps: ExpiryDeps): ExpiryTimer {
  const { engine, bus, now, surely, log } = deps;
  const alarm = deps.alarm ?? timeoutAlarm;
  let cancel = (): void => {};
  let stopped = false;

  function arm(shortest: number): void {
    cancel();
    if (stopped) return;
    const next = nextExpiry(engine.config, engine.observed);
    const wait = next === null ? LONGEST_SLEEP : next - surely();
    cancel = alarm(() => void tick(), Math.min(Math.max(wait, shortest), LONGEST_SLEEP));
  }

  async function tick(): Promise<void> {
    let shortest = SHORTEST_SLEEP;
    try {
      if (stopped) return;
      await expire();
      const tidy = (observed: Observed): Observed => {
        const { devices, dhcp } = engine.config;
        const remembered = pruned(notAhead(observed, now()), devices, surely() - REMEMBERED);
        return faded(remembered, surely() - leaseSeconds(dhcp.LeaseTime) * 1000);
      };
      if (tidy(engine.observed) !== engine.observed) await engine.observe(tidy);
    } catch (error) {
      shortest = AFTER_FAILURE;
      log(error);
    } finally {
      arm(shortest);
    }
  }

  async function expire(): Promise<void> {
    const at = surely();
    const seen = engine.observed;
    const next = nextExpiry(engine.config, seen);
    if (next === null || next > at) return;
    const { result } = await engine.change({
      kind: "device.expire",
      summary: "Take away what has expired",
      reduce: (config) => expireDevices(config, seen, at),
    }, {
      caller: { by: "expiry", from: null, connection: null },
      observation: true,
    });
    if (result.away.length > 0) await engine.observe((observed) => unseen(observed, result.away));
  }

  const unsubscribe = bus.subscribe(({ topic }) => {
    if (topic === "devices") arm(SHORTEST_SLEEP);
  });
  arm(SHORTEST_SLEEP);
  return {
    tick,
    stop(): void {
      stopped = true;
      unsubscribe();
      cancel();
    },
  };
}
