import type { TrafficHistory } from "../schema.ts";
import { readNetworkList } from "./network_list.ts";

export const HOUR_MS = 3_600_000, HOUR_S = 3600;
export const HOURS_PER_DAY = 24;
/** Milliseconds up to which a history is by hours, which are kept at least so long. */
const MAX_HOURLY_MS = HOURS_PER_DAY * HOUR_MS;

/** Of whom a history is; null: of all. */
export interface HistoryFilter {
  /** ISO 3166-1 alpha-2; "" for traffic whose country is not known. */
  readonly country: string | null;
  /** Number of an autonomous system. */
  readonly asn: number | null;
  /** Address of a device. */
  readonly device: string | null;
}

/** What a history is made of. */
export interface HistorySources {
  /** Lists of networks and devices with the unix hour at which each begins. */
  readonly lists: readonly { readonly start: number; readonly data: Uint8Array }[];
  /** Numbers of the networks that count; null: all. */
  readonly networks: ReadonlySet<number> | null;
  /** Number of the device that counts; null: all. */
  readonly device: number | null;
  /** Unix milliseconds. */
  readonly from: number;
  readonly to: number;
}

/** The bytes of each hour that ends in a window, or of each day (UTC) where it is longer than one. */
export function historyOf(
  { lists, networks, device, from, to }: HistorySources,
): TrafficHistory {
  const hours = to - from > MAX_HOURLY_MS ? HOURS_PER_DAY : 1;
  const step = hours * HOUR_MS;
  const first = Math.floor(from / step), last = Math.floor(to / step);
  const points = Array.from({ length: last - first + 1 }, (_, at) => ({
    Start: new Date((first + at) * step).toISOString(),
    BytesIn: 0,
    BytesOut: 0,
  }));
  for (const { start, data } of lists) {
    const point = points[Math.floor(start / hours) - first];
    if (point === undefined) continue;
    const list = readNetworkList(data);
    for (let run = 0, at = 0; run < list.networks.length; run++) {
      const end = list.ends[run]!;
      if (networks !== null && !networks.has(list.networks[run]!)) {
        at = end;
        continue;
      }
      for (; at < end; at++) {
        if (device !== null && list.devices[at] !== device) continue;
        point.BytesIn += list.received[at]!;
        point.BytesOut += list.sent[at]!;
      }
    }
  }
  return { Seconds: hours * HOUR_S, Points: points };
}
