import type { Config } from "../../config.ts";
import type { Alarm } from "../../core/time/timeouts.ts";
import type { Bus } from "../../core/events/bus.ts";
import type { ChangeEngine, Observations } from "../../core/engine/change.ts";
import { type DueTimer, startDueTimer } from "../../core/time/due_timer.ts";
import { leaseSeconds } from "../../dhcp/schema.ts";
import { expireDevices, nextExpiry } from "./expiry.ts";
import { faded, notAhead, pruned, unseen } from "../observation.ts";

/** Milliseconds. */
const SHORTEST_SLEEP = 1000;
/** How long what was seen outlives its device, in milliseconds: an undo within a day finds it. */
const REMEMBERED = 24 * 3600 * 1000;

/** What the timer needs; the clock and the alarm come from outside so that tests own time. */
export interface ExpiryDeps {
  readonly engine: Pick<ChangeEngine<Config>, "config" | "observed" | "change" | "observe">;
  readonly bus: Pick<Bus, "subscribe">;
  /** The best guess of the time, unix milliseconds. */
  readonly now: () => number;
  /** The time that it is at least: a clock that is wrong for a while must not expire a device. */
  readonly surely: () => number;
  readonly alarm?: Alarm;
  readonly log: (error: unknown) => void;
}

/** Disables or deletes devices when their time is up, until it is stopped. */
export function startExpiry(deps: ExpiryDeps): DueTimer {
  const { engine, now, surely } = deps;

  function tidy(observed: Observations): Observations {
    const { devices, dhcp } = engine.config;
    const remembered = pruned(notAhead(observed, now()), devices, surely() - REMEMBERED);
    return faded(remembered, surely() - leaseSeconds(dhcp.LeaseTime) * 1000);
  }

  async function expire(): Promise<void> {
    const at = surely();
    const seen = engine.observed;
    const next = nextExpiry(engine.config, seen);
    if (next === null || next > at) return;
    const { result } = await engine.change({
      kind: "device.expire",
      summary: "Automatic: removed expired access and devices",
      reduce: (config) => expireDevices(config, seen, at),
    }, {
      caller: { by: "expiry", from: null, connection: null },
      observation: true,
    });
    if (result.away.length > 0) await engine.observe((observed) => unseen(observed, result.away));
  }

  return startDueTimer({
    ...deps,
    topic: "devices",
    now: surely,
    minSleep: SHORTEST_SLEEP,
    // What was seen is looked through each minute, whether or not a device's time comes.
    next: () => nextExpiry(engine.config, engine.observed) ?? Infinity,
    async act() {
      await expire();
      if (tidy(engine.observed) !== engine.observed) await engine.observe(tidy);
    },
  });
}
