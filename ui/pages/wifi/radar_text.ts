import { clock, day } from "../../text/time.ts";
import type { RadioAir } from "./wire.ts";

/** What radar made the radio do; "" nothing. */
export function radarText({ radar, channels }: Pick<RadioAir, "radar" | "channels">): string {
  const nameOf = (mhz: number): string => {
    const channel = channels.find(({ frequency }) => frequency === mhz)?.channel;
    return channel === undefined ? `${mhz} MHz` : `channel ${channel}`;
  };
  if (radar.listening !== 0) {
    return `It listens for radar on ${nameOf(radar.listening)}, until ${clock(radar.until)}.`;
  }
  if (radar.seenAt === 0) return "";
  const where = radar.movedTo === 0 ? "" : `; it moved to ${nameOf(radar.movedTo)}`;
  return `Radar was detected on ${nameOf(radar.seenOn)} (${day(radar.seenAt)}, ${
    clock(radar.seenAt)
  })${where}.`;
}
