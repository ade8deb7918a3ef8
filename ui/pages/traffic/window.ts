import type { Request } from "../../api/client.ts";
import { clock, day } from "../../text/time.ts";
import { t } from "../../text/language.ts";

/** A stretch of time that was chosen on a chart, unix milliseconds. */
export interface Slot {
  readonly from: number;
  readonly to: number;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** The hour of a moment: traffic by destination is kept by hours. */
export function hourOf(at: number): Slot {
  const from = Math.floor(at / HOUR_MS) * HOUR_MS;
  return { from, to: from + HOUR_MS };
}

/** What a request for the last minutes, or for a chosen stretch of time, has in its query. */
export function windowQuery(minutes: string, slot: Slot | null): NonNullable<Request["query"]> {
  return slot === null ? { minutes } : {
    minutes: String(Math.round((slot.to - slot.from) / MINUTE_MS)),
    until: String(slot.to),
  };
}

/** `15 Jun 2026, 10:00–11:00`, or a day alone. */
export function slotText({ from, to }: Slot): string {
  return to - from > HOUR_MS
    ? t("{day}, {clock}, to {day2}, {clock2}", {
      day: day(from),
      clock: clock(from),
      day2: day(to),
      clock2: clock(to),
    })
    : `${day(from)}, ${clock(from)}–${clock(to)}`;
}
