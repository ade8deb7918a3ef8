/*
 * Channels of Wi-Fi: frequencies, and the blocks that wider channels are made of (IEEE 802.11-2020
 * annex E, 802.11ax-2021 and 802.11be-2024 for 6 GHz). All frequencies in MHz.
 */

/** A band by its name. */
export type Band = "2.4" | "5" | "6";

/** Width of a channel in MHz. */
export type Width = 20 | 40 | 80 | 160 | 320;

/** Channels of 5 GHz: 36 to 64, 100 to 144, 149 to 177, each 20 MHz wide. */
const FIVE: readonly number[] = [
  ...steps(36, 64),
  ...steps(100, 144),
  ...steps(149, 177),
];
/** The same for 6 GHz: 1 to 233, and 2 of operating class 136. */
const SIX: readonly number[] = [2, ...steps(1, 233)];

function steps(first: number, last: number): number[] {
  return Array.from({ length: (last - first) / 4 + 1 }, (_, n) => first + 4 * n);
}

/** First channels of the blocks of 5 GHz, by width. */
const FIVE_BLOCKS: Readonly<Record<40 | 80 | 160, readonly number[]>> = {
  40: [36, 44, 52, 60, 100, 108, 116, 124, 132, 140, 149, 157, 165, 173],
  80: [36, 52, 100, 116, 132, 149, 165],
  160: [36, 100, 149],
};

/** Centre of the last block of 320 MHz. */
const LAST_320 = 191;

/** Channels of a band, in order. */
export function channelsOf(band: Band): readonly number[] {
  if (band === "2.4") return Array.from({ length: 14 }, (_, n) => n + 1);
  return band === "5" ? FIVE : SIX.toSorted((a, b) => a - b);
}

/** Frequency of a channel number of a band; also of a centre. */
export function frequency(band: Band, channel: number): number {
  if (band === "2.4") return channel === 14 ? 2484 : 2407 + 5 * channel;
  if (band === "5") return 5000 + 5 * channel;
  return channel === 2 ? 5935 : 5950 + 5 * channel;
}

/** Band and channel of a frequency; null for one that is no channel's. */
export function channelAt(
  mhz: number,
): { readonly band: Band; readonly channel: number } | null {
  for (const band of ["2.4", "5", "6"] as const) {
    const channel = channelsOf(band).find((one) => frequency(band, one) === mhz);
    if (channel !== undefined) return { band, channel };
  }
  return null;
}

/**
 * Channel number of the centre of the block that a primary channel is in; null where there is no block
 * of that width. At 2.4 GHz and 40 MHz the second channel lies above, from channel 8 on below. The two
 * sets of 320 MHz overlap by half: the block is taken that has the channel in its first half, and the
 * last one, from 161 to 221, also for those in its second half.
 */
export function centre(band: Band, channel: number, width: Width): number | null {
  if (!channelsOf(band).includes(channel)) return null;
  if (width === 20) return channel;
  if (band === "2.4") {
    if (width !== 40 || channel > 13) return null;
    return channel >= 8 ? channel - 2 : channel + 2;
  }
  if (band === "6" && channel === 2) return null;
  const size = width / 5;
  if (band === "5") {
    if (width === 320) return null;
    const first = FIVE_BLOCKS[width].find((one) => channel >= one && channel < one + size);
    return first === undefined ? null : first + size / 2 - 2;
  }
  if (width === 320) {
    if (channel > LAST_320 + size / 2 - 2) return null;
    return Math.min(LAST_320, 32 * Math.floor((channel - 1) / 32) + 31);
  }
  const first = 1 + size * Math.floor((channel - 1) / size);
  return first + size - 4 <= 233 ? first + size / 2 - 2 : null;
}

/** 1: the second 20 MHz of a 40 MHz channel lies above the primary one, -1 below, 0 none. */
export function secondaryOffset(band: Band, channel: number): -1 | 0 | 1 {
  const middle = centre(band, channel, 40);
  if (middle === null) return 0;
  return middle > channel ? 1 : -1;
}

/** Widths that a primary channel can have. */
export function widthsOf(band: Band, channel: number): readonly Width[] {
  return ([20, 40, 80, 160, 320] as const).filter((width) => centre(band, channel, width) !== null);
}

/** Operating class of 6 GHz for a width (802.11ax-2021 table E-4; 137 by 802.11be). */
export function sixGhzClass(channel: number, width: Width): number {
  if (channel === 2) return 136;
  return { 20: 131, 40: 132, 80: 133, 160: 134, 320: 137 }[width];
}
