import type { IwNeighbour } from "../iw/schema.ts";
import { type Band, channelAt, frequency } from "../radio/channels.ts";
import type { AirNetwork, ChannelUse } from "./schema.ts";

/** dBm at which a network takes nothing away, and at which it takes all. */
const SILENT_DBM = -95, LOUD_DBM = -45;
/** Taken for a network whose signal is not known. */
const UNKNOWN_WEIGHT = 0.3;

/** Networks of a scan that are on a channel. Everything in it is untrusted. */
export function airNetworks(
  scan: readonly IwNeighbour[],
  own: ReadonlySet<string>,
): readonly AirNetwork[] {
  return scan.flatMap((one) => {
    const at = channelAt(one.freq);
    if (at === null) return [];
    const [from, to] = spanOf(one, at.band);
    return [{
      bssid: one.bssid,
      ssid: one.ssid,
      band: at.band,
      channel: at.channel,
      from,
      to,
      signal: one.signal_dbm < 0 && one.signal_dbm > -130 ? one.signal_dbm : 0,
      own: own.has(one.bssid.toLowerCase()),
    }];
  });
}

/** MHz that a network takes, by its HT and VHT operation; the primary channel where they make no sense. */
function spanOf(one: IwNeighbour, band: Band): readonly [number, number] {
  const primary = [one.freq - 10, one.freq + 10] as const;
  const centre = one.center_freq_segment_1;
  if (band === "5" && /^1 /.test(String(one.channel_width)) && typeof centre === "number") {
    const middle = frequency("5", centre);
    if (Math.abs(middle - one.freq) <= 30) return [middle - 40, middle + 40];
  }
  if (one.secondary_channel_offset === "above") return [primary[0], primary[1] + 20];
  if (one.secondary_channel_offset === "below") return [primary[0] - 20, primary[1]];
  return primary;
}

/** How much others take of a channel that reaches over these MHz. */
export function loadOf(
  networks: readonly AirNetwork[],
  [from, to]: readonly [number, number],
): Pick<ChannelUse, "networks" | "strongest" | "load"> {
  const others = networks.filter((one) => !one.own && one.from < to && one.to > from);
  const load = others.reduce((sum, one) => {
    const shared = Math.min(to, one.to) - Math.max(from, one.from);
    return sum + weight(one.signal) * shared / Math.min(to - from, one.to - one.from);
  }, 0);
  return {
    networks: others.length,
    strongest: others.reduce((best, { signal }) => strongerOf(best, signal), 0),
    load: Math.round(load * 100) / 100,
  };
}

function strongerOf(a: number, b: number): number {
  if (a === 0 || b === 0) return a || b;
  return Math.max(a, b);
}

function weight(signal: number): number {
  if (signal === 0) return UNKNOWN_WEIGHT;
  return Math.min(1, Math.max(0, (signal - SILENT_DBM) / (LOUD_DBM - SILENT_DBM)));
}
