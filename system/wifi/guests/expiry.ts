import type { Alarm } from "../../core/time/timeouts.ts";
import type { Config } from "../../config.ts";
import type { Bus } from "../../core/events/bus.ts";
import type { ChangeEngine } from "../../core/engine/change.ts";
import { type DueTimer, startDueTimer } from "../../core/time/due_timer.ts";
import { guestsDocument } from "./document.ts";
import { endGuests } from "./rules.ts";

/** Dependencies of {@link startGuestExpiry}. */
export interface GuestExpiryDeps {
  readonly engine: Pick<ChangeEngine<Config>, "config" | "change">;
  readonly bus: Pick<Bus, "subscribe">;
  /** A lower bound of the time in unix milliseconds, so that a wrong clock ends nothing. */
  readonly now: () => number;
  readonly alarm?: Alarm;
  readonly log: (error: unknown) => void;
}

/** Ends the guest network at its time. */
export function startGuestExpiry(deps: GuestExpiryDeps): DueTimer {
  const { engine, now } = deps;
  const endOf = ({ guests }: Pick<Config, "guests">): number | null =>
    guests.Radios.length > 0 && guests.Until > 0 ? guests.Until * 1000 : null;
  return startDueTimer({
    ...deps,
    topic: guestsDocument.topic,
    minSleep: 1,
    next: () => endOf(engine.config),
    async act() {
      const at = now(), due = endOf(engine.config);
      if (due === null || due > at) return;
      await engine.change({
        kind: "wifi.guests.end",
        summary: "Automatic: ended the guest network",
        reduce: (config) => {
          const end = endOf(config);
          return end === null || end > at ? [config, undefined] : endGuests(config);
        },
      }, { caller: { by: "expiry", from: null, connection: null }, observation: true });
    },
  });
}
