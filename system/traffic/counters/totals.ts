import type { TrafficReading } from "../../core/kernel/host.ts";
import {
  type AddressTraffic,
  COUNTER_SETS,
  type CounterEntry,
  type CounterSet,
  type TrafficSnapshot,
} from "../schema.ts";
import { type Count, growth } from "./growth.ts";

/** Position of each set's bytes among those of an address: LanIn, LanOut, WanIn, WanOut. */
const POSITION: Readonly<Record<CounterSet, 0 | 1 | 2 | 3>> = {
  incoming_traffic_lan: 0,
  outgoing_traffic_lan: 1,
  incoming_traffic_wan: 2,
  outgoing_traffic_wan: 3,
};

/** Four numbers of bytes of an address: LanIn, LanOut, WanIn, WanOut. */
export type FourBytes = readonly [number, number, number, number];

interface AddressTotals {
  readonly packets: [number, number, number, number];
  readonly bytes: [number, number, number, number];
}

/**
 * What addresses sent and received since this object is there, which never falls: readings of the
 * kernel's counters, which begin anew at times, are added up.
 */
export class TrafficTotals {
  readonly #totals = new Map<string, AddressTotals>();
  #last = new Map<string, Count>();

  /** Adds what was counted since the reading before. */
  take(reading: Pick<TrafficReading, "counters">): void {
    const last = new Map<string, Count>();
    for (const set of COUNTER_SETS) {
      const at = POSITION[set];
      for (const [address, packets, bytes] of reading.counters[set] ?? []) {
        const key = `${at} ${address}`;
        const now = { packets, bytes };
        const grown = growth(this.#last.get(key), now);
        last.set(key, now);
        if (grown.packets === 0 && grown.bytes === 0) continue;
        const totals = this.#of(address);
        totals.packets[at] += grown.packets;
        totals.bytes[at] += grown.bytes;
      }
    }
    this.#last = last;
  }

  /** Addresses with traffic in a set. */
  entries(set: CounterSet): readonly CounterEntry[] {
    const at = POSITION[set];
    return [...this.#totals].flatMap(([IP, { packets, bytes }]) =>
      packets[at] === 0 ? [] : [{ IP, Packets: packets[at], Bytes: bytes[at] }]
    );
  }

  /** The bytes of every address. */
  bytes(): ReadonlyMap<string, FourBytes> {
    return new Map([...this.#totals].map(([address, { bytes }]) => [address, [...bytes]]));
  }

  /** The bytes of one address, or of all together (null). */
  sum(address: string | null): FourBytes {
    const sum: [number, number, number, number] = [0, 0, 0, 0];
    for (const [one, { bytes }] of this.#totals) {
      if (address === null || one === address) bytes.forEach((value, at) => sum[at]! += value);
    }
    return sum;
  }

  /** Forgets an address. */
  forget(address: string): void {
    this.#totals.delete(address);
  }

  #of(address: string): AddressTotals {
    let totals = this.#totals.get(address);
    if (totals === undefined) {
      this.#totals.set(address, totals = { packets: [0, 0, 0, 0], bytes: [0, 0, 0, 0] });
    }
    return totals;
  }
}

/** The bytes of addresses as the API answers them. */
export function snapshotOf(bytes: ReadonlyMap<string, FourBytes>): TrafficSnapshot {
  return Object.fromEntries([...bytes].map(([address, four]) => [address, trafficOf(four)]));
}

/** Four numbers of bytes as the API answers them. */
export function trafficOf([LanIn, LanOut, WanIn, WanOut]: FourBytes): AddressTraffic {
  return { LanIn, LanOut, WanIn, WanOut };
}
