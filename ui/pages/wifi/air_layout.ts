import type { AirNetwork, RadioAir } from "./wire.ts";

/** MHz between two neighbouring channels that are drawn as such; a wider gap is drawn as this. */
const MAX_GAP = 28;
/** Half of a channel, in MHz. */
const HALF = 10;
/** dBm at the bottom and at the top. */
const LOW = -95, HIGH = -25;

/** Where things are drawn: x by frequency, from 0 to `width`. */
export interface AirScale {
  readonly width: number;
  readonly x: (mhz: number) => number;
}

/** A scale for channels; gaps between them are drawn short. */
export function airScale(channels: RadioAir["channels"]): AirScale {
  const marks = channels.map(({ frequency }) => frequency).sort((a, b) => a - b);
  const positions: number[] = [];
  marks.forEach((mhz, at) => {
    const before = marks[at - 1];
    positions.push(
      before === undefined ? HALF : positions[at - 1]! + Math.min(mhz - before, MAX_GAP),
    );
  });
  const width = (positions.at(-1) ?? HALF) + HALF;
  return {
    width,
    x(mhz) {
      const after = marks.findIndex((mark) => mark >= mhz);
      if (after === 0) return Math.max(0, positions[0]! - (marks[0]! - mhz));
      if (after < 0) return Math.min(width, (positions.at(-1) ?? 0) + mhz - (marks.at(-1) ?? mhz));
      const share = (mhz - marks[after - 1]!) / (marks[after]! - marks[after - 1]!);
      return positions[after - 1]! + share * (positions[after]! - positions[after - 1]!);
    },
  };
}

/** How high a signal is drawn, from 0 to 1. */
export function heightOf(signal: number): number {
  if (signal === 0) return 0.1;
  return Math.min(1, Math.max(0.06, (signal - LOW) / (HIGH - LOW)));
}

/** The outline of a network: its channel at the bottom, a little narrower above. */
export function outlineOf(
  { from, to, signal }: Pick<AirNetwork, "from" | "to" | "signal">,
  { x }: AirScale,
  height: number,
): string {
  const [left, right] = [x(from), x(to)];
  const inset = Math.min(3, (right - left) / 6);
  const top = height - heightOf(signal) * height;
  const point = (at: number, y: number): string => `${round(at)} ${round(y)}`;
  return `M${point(left, height)}L${point(left + inset, top)}L${point(right - inset, top)}L${
    point(right, height)
  }Z`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/** Which channels are named below the picture, so that no two names meet. */
export function namedChannels(
  channels: RadioAir["channels"],
  { x }: AirScale,
  apart: number,
): readonly RadioAir["channels"][number][] {
  let last = -Infinity;
  return channels.toSorted((a, b) => a.frequency - b.frequency).filter(({ frequency }) => {
    const at = x(frequency);
    if (at - last < apart) return false;
    last = at;
    return true;
  });
}
