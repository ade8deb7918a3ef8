import { clock, day } from "../../text/time.ts";
import type { RadioAir } from "./wire.ts";
import { t } from "../../text/language.ts";

/** What radar made the radio do; "" nothing. */
export function radarText({ radar, channels }: Pick<RadioAir, "radar" | "channels">): string {
  const nameOf = (mhz: number): string => {
    const channel = channels.find(({ frequency }) => frequency === mhz)?.channel;
    return channel === undefined ? t("{mhz} MHz", { mhz }) : t("channel {channel}", { channel });
  };
  if (radar.listening !== 0) {
    return t("It listens for radar on {name}, until {clock}.", {
      name: nameOf(radar.listening),
      clock: clock(radar.until),
    });
  }
  if (radar.seenAt === 0) return "";
  const where = radar.movedTo === 0
    ? ""
    : t("; it moved to {name}", { name: nameOf(radar.movedTo) });
  return t("Radar was detected on {name} ({day}, {clock}){where}.", {
    name: nameOf(radar.seenOn),
    day: day(radar.seenAt),
    clock: clock(radar.seenAt),
    where,
  });
}
