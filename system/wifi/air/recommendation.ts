import { type Band, centre, frequency, type Width } from "../radio/channels.ts";
import { loadOf } from "./channel_use.ts";
import type { AirNetwork, ChannelUse, Recommendation } from "./schema.ts";

/** Channels of 2.4 GHz that do not overlap each other. */
const APART = [1, 6, 11];
/** What a channel costs where the radio has to listen for radar first, or may have to leave. */
const RADAR_COST = 0.25;
/** A channel has to be better by so much for a change to be worth it. */
const WORTH = 0.3;

/** What a channel is recommended from. */
export interface RecommendationInput {
  readonly band: Band;
  /** The channel that the radio is on; 0 none. */
  readonly current: number;
  readonly width: Width;
  /** Channels that radio and country permit at this width. */
  readonly permitted: readonly number[];
  readonly networks: readonly AirNetwork[];
  readonly dfs: (channel: number) => ChannelUse["dfs"];
  /** Channels of the router's other radios on this band. */
  readonly others: readonly number[];
}

/** MHz that a channel of a width reaches over. */
export function spanOfChannel(
  band: Band,
  channel: number,
  width: Width,
): readonly [number, number] {
  const middle = centre(band, channel, width);
  const mhz = frequency(band, middle ?? channel);
  const half = middle === null ? 10 : width / 2;
  return [mhz - half, mhz + half];
}

interface Candidate extends Pick<ChannelUse, "networks" | "strongest"> {
  readonly channel: number;
  readonly cost: number;
  readonly radar: boolean;
}

/** The channel that others take least of, with the reason; null where none is permitted. */
export function recommendChannel(input: RecommendationInput): Recommendation | null {
  const { band, permitted, current } = input;
  const apart = permitted.filter((channel) => APART.includes(channel));
  const choices = band === "2.4" && apart.length > 0 ? apart : permitted;
  const candidates = choices.filter((channel) => input.dfs(channel) !== "unavailable")
    .map((channel) => candidate(channel, input));
  if (candidates.length === 0) return null;
  const best = candidates.reduce((a, b) => b.cost < a.cost ? b : a);
  if (current === 0 || !permitted.includes(current)) {
    return { channel: best.channel, better: true, reason: `${useText(best)}, the least` };
  }
  const own = candidate(current, input);
  if (own.cost - best.cost < WORTH) {
    const reason = own.networks === 0
      ? `Channel ${current} is free`
      : `${useText(own)}, and no other channel is clearly better`;
    return { channel: current, better: false, reason };
  }
  return {
    channel: best.channel,
    better: true,
    reason: `${useText(best)}; ${lower(useText(own))}${radarText(best)}`,
  };
}

function candidate(channel: number, input: RecommendationInput): Candidate {
  const { band, width, networks, others, dfs } = input;
  const span = spanOfChannel(band, channel, width);
  const use = loadOf(networks, span);
  const radar = dfs(channel) !== "none";
  const mine = others.filter((other) => {
    const [from, to] = spanOfChannel(band, other, width);
    return from < span[1] && to > span[0];
  }).length;
  return {
    ...use,
    channel,
    radar,
    // The router's own radios disturb each other most.
    cost: use.load + mine + (radar ? RADAR_COST : 0),
  };
}

function useText({ channel, networks, strongest }: Candidate): string {
  if (networks === 0) return `Channel ${channel} is free`;
  const count = networks === 1 ? "1 other network uses" : `${networks} other networks use`;
  const level = strongest === 0 ? "" : `, the strongest with ${strongest} dBm`;
  return `${count} channel ${channel}${level}`;
}

function lower(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

function radarText({ radar }: Candidate): string {
  return radar ? ". The radio listens for radar first, for a minute or more" : "";
}
