import type { components } from "../../generated/api.ts";
import type { TopologyNode } from "./wire.ts";

/** Bytes of each address until the end of a minute. */
export type Snapshot = Readonly<Record<string, components["schemas"]["AddressTraffic"]>>;

/** Snapshots that are loaded: the traffic of the five minutes between them is averaged. */
export const SNAPSHOTS = "6";

/** Bit/s at which a line becomes wider by a step, of which there are six: 10 kbit/s to 100 Mbit/s. */
const STEPS: readonly number[] = [1e4, 1e5, 1e6, 1e7, 1e8];

/** Bit/s of each address, in both directions, by snapshots one minute apart, newest first. */
export function ratesOf(snapshots: readonly Snapshot[]): ReadonlyMap<string, number> {
  const newest = snapshots[0], oldest = snapshots.at(-1);
  const seconds = (snapshots.length - 1) * 60;
  if (newest === undefined || oldest === undefined || seconds <= 0) return new Map();
  return new Map(
    Object.entries(newest).map(([address, now]) => {
      const bytes = sumOf(now) - sumOf(oldest[address]);
      return [address, Math.max(0, bytes) * 8 / seconds];
    }),
  );
}

function sumOf(bytes: Snapshot[string] | undefined): number {
  return bytes === undefined ? 0 : bytes.LanIn + bytes.LanOut + bytes.WanIn + bytes.WanOut;
}

/** Bit/s of devices together. */
export function rateOf(
  rates: ReadonlyMap<string, number>,
  devices: readonly Pick<TopologyNode, "IP">[],
): number {
  return devices.reduce((sum, { IP = "" }) => sum + (rates.get(IP) ?? 0), 0);
}

/** How wide a line is drawn, 0–5; the style sheet has the widths. */
export function widthOf(bits: number): number {
  return STEPS.filter((step) => bits >= step).length;
}
