import type { CountryChannel } from "../control_schema.ts";
import { type Band, centre, channelsOf, frequency, type Width } from "../radio/channels.ts";
import type { RegulatoryRule } from "./regulatory_db.ts";

const BANDS: readonly Band[] = ["2.4", "5", "6"];
const WIDTHS: readonly Width[] = [20, 40, 80, 160, 320];

/** Every channel of every band under the rules of a country. */
export function permittedChannels(rules: readonly RegulatoryRule[]): CountryChannel[] {
  return BANDS.flatMap((band) =>
    channelsOf(band).map((channel) => {
      const mhz = frequency(band, channel);
      const own = rules.filter((rule) => covers(rule, mhz - 10, mhz + 10));
      const rule = own.find(({ passive }) => !passive);
      return {
        band,
        channel,
        frequency: mhz,
        widths: rule === undefined
          ? []
          : WIDTHS.filter((width) => fits(rules, band, channel, width)),
        maxPower: rule?.maxPower ?? 0,
        radar: rule?.radar ?? false,
        indoorOnly: rule?.indoorOnly ?? false,
      };
    })
  );
}

function covers({ start, end }: RegulatoryRule, from: number, to: number): boolean {
  return start <= from && end >= to;
}

/** True when a channel of a width lies in one rule that is wide enough, or in neighbours that may be joined. */
function fits(
  rules: readonly RegulatoryRule[],
  band: Band,
  channel: number,
  width: Width,
): boolean {
  const middle = centre(band, channel, width);
  if (middle === null) return false;
  const mhz = width === 20 ? frequency(band, channel) : frequency(band, middle);
  const [from, to] = [mhz - width / 2, mhz + width / 2];
  const active = rules.filter(({ passive }) => !passive);
  if (active.some((rule) => covers(rule, from, to) && rule.maxWidth >= width)) return true;
  let reached = from;
  for (const rule of active.toSorted((a, b) => a.start - b.start)) {
    if (rule.autoWidth && rule.start <= reached && rule.end > reached) reached = rule.end;
  }
  return reached >= to;
}

/**
 * Why a country does not permit a channel of a width; null where it does. `channel` 0: hostapd chooses
 * among those that are permitted.
 */
export function channelProblem(
  channels: readonly Pick<CountryChannel, "band" | "channel" | "widths">[],
  { country, band, channel, width }: {
    readonly country: string;
    readonly band: Band;
    readonly channel: number;
    readonly width: Width;
  },
): string | null {
  if (channel === 0) return null;
  const found = channels.find((one) => one.band === band && one.channel === channel);
  if (found === undefined || found.widths.length === 0) {
    return `${country} does not permit access points on channel ${channel} at ${band} GHz`;
  }
  if (found.widths.includes(width)) return null;
  return `${country} permits channel ${channel} at ${band} GHz at most ${
    Math.max(...found.widths)
  } MHz wide, not ${width}`;
}
