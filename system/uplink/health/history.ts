import type * as z from "zod";
import { isRecord } from "../../core/config/json.ts";
import { averaged, type Summary } from "./health_rules.ts";
import {
  type HistoryKeeper,
  type HistoryRow,
  outageRow,
  sampleRow,
  speedRow,
} from "./history_rows.ts";
import {
  SpeedTestResult,
  UplinkOutage,
  type UplinkRecord,
  UplinkSample,
} from "../status_schema.ts";

/** Maximum entries: a day of minutes, thirty days of hours. */
const MAX_ENTRIES = { minutes: 1440, hours: 720, outages: 500, speed: 100 } as const;

/** Seconds between writes of changes that are not urgent. */
const WRITE_INTERVAL_S = 600;

function readable<T>(raw: unknown, shape: z.ZodType<T>): T[] {
  return (Array.isArray(raw) ? raw : []).flatMap((one) => {
    const { success, data } = shape.safeParse(one);
    return success ? [data] : [];
  });
}

function readableByName<T>(raw: unknown, shape: z.ZodType<T>): Record<string, T[]> {
  const lists = Object.entries(isRecord(raw) ? raw : {});
  return Object.fromEntries(lists.map(([name, list]) => [name, readable(list, shape)]));
}

/** The valid entries of a record. */
export function readRecord(raw: unknown): UplinkRecord {
  const { outages, minutes, hours, speed } = isRecord(raw) ? raw : {};
  return {
    outages: readable(outages, UplinkOutage).slice(-MAX_ENTRIES.outages),
    minutes: readableByName(minutes, UplinkSample),
    hours: readableByName(hours, UplinkSample),
    speed: readable(speed, SpeedTestResult).slice(-MAX_ENTRIES.speed),
  };
}

/** Samples of an uplink; it may be named like a property of Object.prototype. */
function samplesOf(samples: UplinkRecord["minutes"], iface: string): readonly UplinkSample[] {
  return Object.hasOwn(samples, iface) ? samples[iface]! : [];
}

/** The history of the uplinks, bounded, kept over restarts. Stored oldest first, returned newest first. */
export class UplinkHistory {
  readonly #keeper: HistoryKeeper;
  #record: UplinkRecord;
  #written: number;
  /** What is not stored yet, by kind, uplink and time. */
  #changed = new Map<string, HistoryRow>();
  #writing: Promise<void> = Promise.resolve();

  private constructor(keeper: HistoryKeeper, record: UplinkRecord, now: number) {
    this.#keeper = keeper;
    this.#record = record;
    this.#written = now;
  }

  /** Reads the stored entries; invalid ones are left out. `now`: unix seconds. */
  static async open(keeper: HistoryKeeper, now: number): Promise<UplinkHistory> {
    let raw: unknown = null;
    try {
      raw = await keeper.read();
    } catch {
      // It cannot be read: the history starts now, and the file stays.
    }
    return new UplinkHistory(keeper, readRecord(raw), now);
  }

  /** All outages, the newest first. */
  outages(): readonly UplinkOutage[] {
    return this.#record.outages.toReversed();
  }

  /** The current outage of an uplink, if any. */
  currentOutage(iface: string): UplinkOutage | undefined {
    return this.#record.outages.findLast((one) => one.Iface === iface && one.End === 0);
  }

  /** True for an uplink that has samples or outages. */
  isKnown(iface: string): boolean {
    const { minutes, outages } = this.#record;
    return samplesOf(minutes, iface).length > 0 || outages.some(({ Iface }) => Iface === iface);
  }

  beginOutage(iface: string, start: number, reason: string): void {
    const outage = { Iface: iface, Start: start, End: 0, Reason: reason };
    const outages = [...this.#record.outages, outage].slice(-MAX_ENTRIES.outages);
    this.#set({ outages }, outageRow(outage));
  }

  /** Ends the current outage, never before it began. */
  endOutage(iface: string, end: number): void {
    const open = this.currentOutage(iface);
    if (!open) return;
    const ended = { ...open, End: Math.max(end, open.Start + 1) };
    const outages = this.#record.outages.map((one) => one === open ? ended : one);
    this.#set({ outages }, outageRow(ended));
  }

  /** One more minute of an uplink; sixty make an hour. */
  addMinute(iface: string, at: number, what: Summary & { readonly Up: boolean }): void {
    const { minutes, hours } = this.#record;
    const before = samplesOf(hours, iface);
    const next = [...samplesOf(minutes, iface), { Time: at, ...what }].slice(-MAX_ENTRIES.minutes);
    const hour = at - at % 3600;
    const last = before.at(-1);
    const done = last === undefined
      ? []
      : next.filter(({ Time }) => Time >= last.Time && Time < last.Time + 3600);
    const earlier = last === undefined ? [] : before.slice(0, -1).concat(
      done.length === 0 ? last : averaged(done, last.Time),
    );
    const all = last?.Time === hour
      ? earlier
      : [...earlier, averaged(next.filter(({ Time }) => Time >= hour), hour)];
    this.#record = {
      ...this.#record,
      minutes: { ...minutes, [iface]: next },
      hours: { ...hours, [iface]: all.slice(-MAX_ENTRIES.hours) },
    };
    this.#change(sampleRow("minutes", iface, next.at(-1)!));
    // The hour before is averaged once more when the next one begins.
    for (const sample of all.slice(-2)) this.#change(sampleRow("hours", iface, sample));
  }

  /** Minutes or hours of an uplink, the newest first. */
  samples(iface: string, scale: "minutes" | "hours", count: number): readonly UplinkSample[] {
    return samplesOf(this.#record[scale], iface).slice(-count).toReversed();
  }

  /** Speed tests, the newest first. */
  speedTests(): readonly SpeedTestResult[] {
    return this.#record.speed.toReversed();
  }

  addSpeedTest(result: SpeedTestResult): void {
    const speed = [...this.#record.speed, result].slice(-MAX_ENTRIES.speed);
    this.#set({ speed }, speedRow(result));
  }

  /**
   * Writes pending changes when due, or `always`; a failed write is retried when due. `now`: unix
   * seconds. Throws once per failed write.
   */
  async flush(now: number, always = false): Promise<void> {
    if (this.#changed.size === 0 || (!always && now - this.#written < WRITE_INTERVAL_S)) {
      return await this.#writing;
    }
    const changed = this.#changed;
    this.#changed = new Map();
    this.#written = now;
    const written = this.#writing.then(() => this.#keeper.write([...changed.values()]));
    this.#writing = written.catch(() => {
      // What came meanwhile is newer.
      this.#changed = new Map([...changed, ...this.#changed]);
    });
    await written;
  }

  /** Sets what must not be lost: it is written at the next flush. */
  #set(part: Partial<UplinkRecord>, row: HistoryRow): void {
    this.#record = { ...this.#record, ...part };
    this.#change(row);
    this.#written = -Infinity;
  }

  #change(row: HistoryRow): void {
    this.#changed.set(`${row.kind} ${row.iface} ${row.at}`, row);
  }
}
