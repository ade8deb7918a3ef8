import type { CountryChannel, RadioFacts } from "../control_schema.ts";
import type { IwNeighbour } from "../iw/schema.ts";
import { channelAt, frequency } from "../radio/channels.ts";
import { bandOf, channelWidth } from "../radio/modes.ts";
import type { RadioSettings } from "../radio/settings_schema.ts";
import { airNetworks, loadOf } from "./channel_use.ts";
import { recommendChannel, spanOfChannel } from "./recommendation.ts";
import {
  type ChannelUse,
  type DfsReport,
  NO_RADAR,
  type RadioAir,
  type Recommendation,
} from "./schema.ts";

/** What the air of a radio is made of. */
export interface RadioAirInput {
  readonly facts: RadioFacts;
  readonly settings: RadioSettings;
  readonly enabled: boolean;
  /** The channel that it is on now, in MHz; 0 not known. */
  readonly frequency: number;
  readonly scan: { readonly at: number; readonly items: readonly IwNeighbour[] } | null;
  /** Addresses of the router's own networks. */
  readonly own: ReadonlySet<string>;
  readonly dfs: DfsReport["items"][number] | null;
  /** Channels of the country; null not known. */
  readonly country: readonly CountryChannel[] | null;
  /** Channels that the router's other radios are on, in MHz. */
  readonly others: readonly number[];
}

/** Who uses which channel around a radio, and which one is best for it. */
export function radioAir(input: RadioAirInput): RadioAir {
  const { facts, settings, scan, dfs } = input;
  const on = channelAt(input.frequency);
  const band = on?.band ?? bandOf(settings);
  const width = channelWidth(settings);
  const current = on?.channel ?? (input.enabled ? settings.channel : 0);
  const networks = scan === null
    ? []
    : airNetworks(scan.items, input.own).filter((one) => one.band === band);
  const usable = (facts.bands.find((one) => one.band === band)?.channels ?? [])
    .filter(({ use }) => use === "usable" || use === "radar");
  const dfsOf = (channel: number): ChannelUse["dfs"] => {
    const mhz = frequency(band, channel);
    if (dfs?.log.listening === mhz) return "listening";
    if (usable.find((one) => one.channel === channel)?.use !== "radar") return "none";
    return dfs?.channels.find((one) => one.frequency === mhz)?.state ?? "usable";
  };
  const rules = input.country?.filter((one) => one.band === band);
  const widthsOf = (channel: number): readonly number[] =>
    rules === undefined ? [width] : rules.find((rule) => rule.channel === channel)?.widths ?? [];
  const possible = usable.map(({ channel }) => channel)
    .filter((channel) => widthsOf(channel).length > 0);
  const wide = possible.filter((channel) => widthsOf(channel).includes(width));
  // Where none is as wide as the settings, hostapd takes what there is.
  const permitted = wide.length > 0 ? wide : possible;
  const recommendation: Recommendation | null = scan === null ? null : recommendChannel({
    ...{ band, current, permitted, networks, dfs: dfsOf },
    width: wide.length > 0 ? width : 20,
    others: input.others.map((mhz) => channelAt(mhz)).filter((one) => one?.band === band)
      .map((one) => one!.channel),
  });
  return {
    radio: facts.name,
    enabled: input.enabled,
    band,
    channel: current,
    width,
    ...(current === 0 ? { from: 0, to: 0 } : span(spanOfChannel(band, current, width))),
    scannedAt: scan === null ? 0 : Math.floor(scan.at / 1000),
    networks: [...networks],
    channels: usable.map(({ channel }) => ({
      channel,
      frequency: frequency(band, channel),
      ...loadOf(networks, spanOfChannel(band, channel, 20)),
      dfs: dfsOf(channel),
    })),
    recommendation,
    radar: dfs?.log ?? NO_RADAR,
  };
}

function span([from, to]: readonly [number, number]): Pick<RadioAir, "from" | "to"> {
  return { from, to };
}
