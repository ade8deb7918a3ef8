import type { Alarm } from "../../core/time/alarm.ts";
import type { Config } from "../../config.ts";
import type { Bus } from "../../core/events/bus.ts";
import type { ChangeEngine } from "../../core/engine/change.ts";
import { type DueTimer, startDueTimer } from "../../core/time/due_timer.ts";
import { blockDocument } from "./document.ts";
import { endOverrides, nextOverrideEnd } from "./expiry.ts";

/** What the timer needs; the clock and the alarm come from outside so that tests own time. */
export interface OverrideExpiryDeps {
  readonly engine: Pick<ChangeEngine<Config>, "config" | "change">;
  readonly bus: Pick<Bus, "subscribe">;
  /** The time that it is at least, unix milliseconds: a clock that is wrong for a while ends none. */
  readonly now: () => number;
  readonly alarm?: Alarm;
  readonly log: (error: unknown) => void;
}

/**
 * Takes overrides out of the configuration at the second at which they end. The resolver heeds that
 * second by itself; this keeps the file and the answers of the api in step.
 */
export function startOverrideExpiry(deps: OverrideExpiryDeps): DueTimer {
  const { engine, now } = deps;
  const next = (): number | null => nextOverrideEnd(engine.config);
  return startDueTimer({
    ...deps,
    topic: blockDocument.topic,
    shortest: 1,
    next,
    async act() {
      const at = now(), due = next();
      if (due === null || due > at) return;
      await engine.change({
        kind: "dns.override.expire",
        summary: "Take away overrides whose time is over",
        reduce: (config) => endOverrides(config, at),
      }, { caller: { by: "expiry", from: null, connection: null }, observation: true });
    },
  });
}
