import type { Config } from "../../system/config.ts";
import type { ChangeEngine } from "../../system/core/engine/change.ts";
import type { Bus } from "../../system/core/events/bus.ts";
import type { Log } from "../../system/core/log/log.ts";
import type { TrustedClock } from "../../system/core/time/trusted_clock.ts";
import { startExpiry } from "../../system/devices/expiry/expiry_timer.ts";
import { startScheduleTimer } from "../../system/devices/groups/schedule_timer.ts";
import { startOverrideExpiry } from "../../system/dns/block/override_expiry.ts";
import { startGuestExpiry } from "../../system/wifi/guests/expiry.ts";

/** Dependencies of {@link startExpiries}. */
export interface ExpiriesDeps {
  readonly engine: Pick<ChangeEngine<Config>, "config" | "observed" | "change" | "observe">;
  readonly bus: Pick<Bus, "subscribe" | "publish">;
  /** Unix milliseconds: the best guess, what it is at least, and what it may be. */
  readonly clock: Pick<TrustedClock, "now" | "surely" | "possible">;
  /** Keeps the time for the next start. */
  readonly saveTime: () => Promise<void>;
  readonly log: Log;
}

/** Ends what has a time: devices, rules about names, the guest network, the hours of groups. */
export function startExpiries({ engine, bus, clock, saveTime, log }: ExpiriesDeps): {
  tick(): Promise<void>;
  stop(): void;
} {
  const surely = { engine, bus, now: clock.surely };
  const timers = [
    startExpiry({
      ...surely,
      now: clock.now,
      surely: clock.surely,
      log: (error) =>
        log.error("devices.expiry_failed", "Devices whose time is up could not be ended yet", {
          error,
        }),
    }),
    startOverrideExpiry({
      ...surely,
      log: (error) =>
        log.error("dns.rule_expiry_failed", "Expired overrides could not be removed yet", {
          error,
        }),
    }),
    startGuestExpiry({
      ...surely,
      log: (error) =>
        log.error("wifi.guest_expiry_failed", "The guest network could not be ended yet", {
          error,
        }),
    }),
    startScheduleTimer({
      ...{ engine, bus, times: clock.possible, saveTime },
      log: (error) =>
        log.error("devices.schedule_failed", "The schedule of a group could not be applied yet", {
          error,
        }),
    }),
  ];
  return {
    async tick() {
      for (const timer of timers) await timer.tick();
    },
    stop() {
      for (const timer of timers) timer.stop();
    },
  };
}
