import * as z from "zod";
import { invalid, sentence } from "../../core/errors/problem.ts";
import type { ChannelSwitch } from "../control_schema.ts";
import {
  type Band,
  centre,
  channelsOf,
  frequency,
  secondaryOffset,
  sixGhzClass,
  type Width,
  widthsOf,
} from "./channels.ts";
import { isSixGhz, type RadioSettings } from "./settings_schema.ts";

const Flag = z.boolean().default(false);

/** A channel and what it is to carry (`PUT /hostapd/calcChannel`, `…/setChannel`). */
export const ChannelParameters = z.object({
  /** `a`: 5 or 6 GHz, `b` and `g`: 2.4 GHz. */
  Mode: z.enum(["a", "b", "g"]),
  /** 0: hostapd chooses. */
  Channel: z.int().min(0).max(253),
  /** MHz; 8080 is 80+80. */
  Bandwidth: z.union([
    z.literal(20),
    z.literal(40),
    z.literal(80),
    z.literal(160),
    z.literal(320),
    z.literal(8080),
  ], { error: "Use 20, 40, 80, 160, 320 or 8080" }),
  HT_Enable: Flag,
  VHT_Enable: Flag,
  HE_Enable: Flag,
  EHT_Enable: Flag,
  /** Tells 6 GHz where `Mode` and `Channel` do not: channels 149 to 177 are in both bands. */
  Op_class: z.int().min(0).max(137).default(0),
}).meta({ id: "ChannelParameters" });
export type ChannelParameters = z.output<typeof ChannelParameters>;

/** A channel as hostapd is configured for it; -1 where there is no centre. */
export const ChannelResult = z.object({
  Vht_oper_centr_freq_seg0_idx: z.int(),
  He_oper_centr_freq_seg0_idx: z.int(),
  Eht_oper_centr_freq_seg0_idx: z.int(),
  Vht_oper_chwidth: z.int(),
  He_oper_chwidth: z.int(),
  Eht_oper_chwidth: z.int(),
  /** 0: none is needed. */
  Op_class: z.int(),
  Is_6e: z.boolean(),
  /** MHz of the channel, and of the centre; 0 none. */
  Freq1: z.int(),
  Freq2: z.int(),
  Freq3: z.int(),
}).meta({ id: "ChannelResult" });
export type ChannelResult = z.output<typeof ChannelResult>;

/** Values of `…_oper_chwidth` (IEEE 802.11-2020 table 11-23, hostapd.conf). */
const WIDTH_CODES: Readonly<Record<number, number>> = {
  20: 0,
  40: 0,
  80: 1,
  160: 2,
  8080: 3,
  320: 9,
};
/** Operating classes of 5 GHz that existing clients expect; the others say no more than the channel. */
const FIVE_CLASSES: Readonly<Record<number, number>> = { 80: 128, 160: 129, 8080: 130 };
/** First channel of each band that has every width of it. */
const FIRST: Readonly<Record<Band, number>> = { "2.4": 1, "5": 36, "6": 1 };
/** Operating class of 80+80 MHz at 6 GHz. */
const SIX_8080_CLASS = 135;

/** The band of a channel: mode `a` alone does not say, but only 6 GHz has odd channels below 149. */
export function bandOfChannel(
  { Mode, Channel, Op_class }: Pick<ChannelParameters, "Mode" | "Channel" | "Op_class">,
): Band {
  if (Mode !== "a") return "2.4";
  if (isSixGhz({ op_class: Op_class })) return "6";
  return !channelsOf("5").includes(Channel) && channelsOf("6").includes(Channel) ? "6" : "5";
}

/**
 * Centre and widths of a channel; for one that hostapd chooses, the widths. Throws Problem 400 for a
 * channel or width that does not exist.
 */
export function calculateChannel(wish: ChannelParameters): ChannelResult {
  const { Channel, Bandwidth } = wish;
  const band = bandOfChannel(wish);
  if (Channel !== 0 && !channelsOf(band).includes(Channel)) {
    throw invalid(
      "/Channel",
      sentence("There is no channel {channel} at {band} GHz", { channel: Channel, band }),
    );
  }
  // A channel that is not known yet has what the band's first one has.
  const primary = Channel === 0 ? FIRST[band] : Channel;
  const width: Width = Bandwidth === 8080 ? 80 : Bandwidth;
  const middle = centre(band, primary, width);
  if (middle === null || (Bandwidth === 8080 && band === "2.4")) {
    const widths = widthsOf(band, primary).join(", ");
    throw invalid(
      "/Bandwidth",
      sentence("Channel {channel} at {band} GHz can be {widths} MHz wide", {
        channel: Channel,
        band,
        widths,
      }),
    );
  }
  const has = { vht: wish.VHT_Enable, he: wish.HE_Enable, eht: wish.EHT_Enable };
  const hasCentre = Bandwidth !== 20 && band !== "2.4" && Channel !== 0;
  const seg = (enabled: boolean): number => enabled && hasCentre ? middle : -1;
  const code = (kind: "vht" | "he" | "eht"): number => {
    if (!has[kind]) return 0;
    // Only 802.11be has 320 MHz, and it alone has no 80+80.
    if (Bandwidth === 320) return kind === "eht" ? WIDTH_CODES[320]! : 0;
    return WIDTH_CODES[kind === "eht" ? width : Bandwidth]!;
  };
  return {
    Vht_oper_centr_freq_seg0_idx: seg(has.vht),
    He_oper_centr_freq_seg0_idx: seg(has.he),
    Eht_oper_centr_freq_seg0_idx: seg(has.eht),
    Vht_oper_chwidth: code("vht"),
    He_oper_chwidth: code("he"),
    Eht_oper_chwidth: code("eht"),
    Op_class: operatingClass(band, primary, Bandwidth),
    Is_6e: band === "6",
    Freq1: Channel === 0 ? 0 : frequency(band, Channel),
    Freq2: Bandwidth === 20 || Channel === 0 ? 0 : frequency(band, middle),
    Freq3: 0,
  };
}

function operatingClass(band: Band, channel: number, bandwidth: number): number {
  if (band === "2.4") return 0;
  if (band === "5") return FIVE_CLASSES[bandwidth] ?? 0;
  return bandwidth === 8080 ? SIX_8080_CLASS : sixGhzClass(channel, bandwidth as Width);
}

/** A channel as a radio understands it: what is in both bands is at 6 GHz for a radio that is there. */
export function channelOnRadio(
  radio: Pick<RadioSettings, "op_class">,
  wish: ChannelParameters,
): ChannelParameters {
  const isMeant = isSixGhz(radio) && wish.Mode === "a" && wish.Op_class === 0 &&
    channelsOf("6").includes(wish.Channel);
  return isMeant ? { ...wish, Op_class: radio.op_class } : wish;
}

/** The change of channel that is requested from hostapd. Throws Problem 400 as {@link calculateChannel}. */
export function channelSwitch(wish: ChannelParameters): ChannelSwitch {
  const { Channel, Bandwidth, HT_Enable, VHT_Enable, HE_Enable } = wish;
  if (Channel === 0) throw invalid("/Channel", "Name the channel that the radio is to change to");
  const { Freq1, Freq2 } = calculateChannel(wish);
  if (Bandwidth === 320 || Bandwidth === 8080) {
    throw invalid("/Bandwidth", "A running radio can change to 20, 40, 80 or 160 MHz");
  }
  return {
    frequency: Freq1,
    bandwidth: Bandwidth,
    centre: Freq2,
    offset: Bandwidth === 20 ? 0 : secondaryOffset(bandOfChannel(wish), Channel),
    ht: HT_Enable,
    vht: VHT_Enable,
    he: HE_Enable,
  };
}
