import { type Alarm, timeoutAlarm } from "../../core/alarm.ts";
import type { Config } from "../../config.ts";
import type { Bus } from "../../core/bus.ts";
import type { ChangeEngine } from "../../core/change.ts";
import { blockDocument } from "./document.ts";
import { endOverrides, nextOverrideEnd } from "./expiry.ts";

/** Longest sleep in milliseconds: a clock that is set while we sleep is noticed within a minute. */
const LONGEST_SLEEP = 60_000;
/** Sleep after a failure, so that a disk that refuses everything is not pestered. */
const AFTER_FAILURE = 30_000;

/** What the timer needs; the clock and the alarm come from outside so that tests own time. */
export interface OverrideExpiryDeps {
  readonly engine: Pick<ChangeEngine<Config>, "config" | "change">;
  readonly bus: Pick<Bus, "subscribe">;
  /** The time that it is at least, unix milliseconds: a clock that is wrong for a while ends none. */
  readonly now: () => number;
  readonly alarm?: Alarm;
  readonly log: (error: unknown) => void;
}

/** A running timer. `tick` is what happens when it rings. */
export interface OverrideExpiry {
  tick(): Promise<void>;
  stop(): void;
}

/**
 * Takes overrides out of the configuration at the second at which they end. The resolver heeds that
 * second by itself; this keeps the file and the answers of the api in step.
 */
export function startOverrideExpiry(deps: OverrideExpiryDeps): OverrideExpiry {
  const { engine, bus, now, log } = deps;
  const alarm = deps.alarm ?? timeoutAlarm;
  let cancel = (): void => {};
  let stopped = false;

  function arm(shortest: number): void {
    cancel();
    if (stopped) return;
    const next = nextOverrideEnd(engine.config);
    if (next === null) return;
    const wait = Math.min(Math.max(next - now(), shortest), LONGEST_SLEEP);
    cancel = alarm(() => void tick(), wait);
  }

  async function tick(): Promise<void> {
    let shortest = 1;
    try {
      const at = now();
      const next = nextOverrideEnd(engine.config);
      if (stopped || next === null || next > at) return;
      await engine.change({
        kind: "dns.override.expire",
        summary: "Take away overrides whose time is over",
        reduce: (config) => endOverrides(config, at),
      }, { caller: { by: "expiry", from: null, connection: null }, observation: true });
    } catch (error) {
      shortest = AFTER_FAILURE;
      log(error);
    } finally {
      arm(shortest);
    }
  }

  const unsubscribe = bus.subscribe(({ topic }) => {
    if (topic === blockDocument.topic) arm(1);
  });
  arm(1);
  return {
    tick,
    stop(): void {
      stopped = true;
      unsubscribe();
      cancel();
    },
  };
}
