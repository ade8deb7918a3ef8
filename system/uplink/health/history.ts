import type { z } from "zod";
import { writeDurably } from "../../core/config/files.ts";
import { fileText, isRecord } from "../../core/config/json.ts";
import { joined, type Summary } from "./health_rules.ts";
import { WanOutage, type WanRecord, WanSample, WanSpeed } from "../status_schema.ts";

/** Maximum entries: a day of minutes, thirty days of hours. */
export const KEPT = { minutes: 1440, hours: 720, outages: 500, speed: 100 } as const;

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

/** What can be read of a record: one entry that cannot costs no other. */
function readRecord(raw: unknown): WanRecord {
  const { outages, minutes, hours, speed } = isRecord(raw) ? raw : {};
  return {
    outages: readable(outages, WanOutage).slice(-KEPT.outages),
    minutes: readableByName(minutes, WanSample),
    hours: readableByName(hours, WanSample),
    speed: readable(speed, WanSpeed).slice(-KEPT.speed),
  };
}

/** Samples of an uplink, which may have any name, also one that every object answers to. */
function samplesOf(samples: WanRecord["minutes"], iface: string): readonly WanSample[] {
  return Object.hasOwn(samples, iface) ? samples[iface]! : [];
}

/** The history of the uplinks, bounded, kept over restarts. Stored oldest first, returned newest first. */
export class UplinkHistory {
  readonly #path: string;
  #record: WanRecord;
  #written: number;
  #dirty = false;
  #writing: Promise<void> = Promise.resolve();

  private constructor(path: string, record: WanRecord, now: number) {
    this.#path = path;
    this.#record = record;
    this.#written = now;
  }

  /** Reads the file; what cannot be read of it is left out. `now`: unix seconds. */
  static async open(path: string, now: number): Promise<UplinkHistory> {
    let raw: unknown = null;
    try {
      raw = JSON.parse(await Deno.readTextFile(path));
    } catch {
      // None yet, or of another form: the past begins now.
    }
    return new UplinkHistory(path, readRecord(raw), now);
  }

  /** All outages, the newest first. */
  outages(): readonly WanOutage[] {
    return this.#record.outages.toReversed();
  }

  /** The outage of an uplink that lasts, if one does. */
  lasting(iface: string): WanOutage | undefined {
    return this.#record.outages.findLast((one) => one.Iface === iface && one.End === 0);
  }

  /** True for an uplink that was watched for a while, or had an outage. */
  knows(iface: string): boolean {
    const { minutes, outages } = this.#record;
    return samplesOf(minutes, iface).length > 0 || outages.some(({ Iface }) => Iface === iface);
  }

  begin(iface: string, start: number, reason: string): void {
    const outage = { Iface: iface, Start: start, End: 0, Reason: reason };
    this.#set({ outages: [...this.#record.outages, outage].slice(-KEPT.outages) });
  }

  /** Ends the outage that lasts; never before it began. */
  end(iface: string, end: number): void {
    const open = this.lasting(iface);
    if (!open) return;
    this.#set({
      outages: this.#record.outages.map((one) =>
        one === open ? { ...one, End: Math.max(end, one.Start + 1) } : one
      ),
    });
  }

  /** One more minute of an uplink; sixty make an hour. */
  minute(iface: string, at: number, what: Summary & { readonly Up: boolean }): void {
    const { minutes, hours } = this.#record;
    const before = samplesOf(hours, iface);
    const next = [...samplesOf(minutes, iface), { Time: at, ...what }].slice(-KEPT.minutes);
    const hour = at - at % 3600;
    const last = before.at(-1);
    const done = last === undefined
      ? []
      : next.filter(({ Time }) => Time >= last.Time && Time < last.Time + 3600);
    const kept = last === undefined ? [] : before.slice(0, -1).concat(
      done.length === 0 ? last : joined(done, last.Time),
    );
    const all = last?.Time === hour
      ? kept
      : [...kept, joined(next.filter(({ Time }) => Time >= hour), hour)];
    this.#record = {
      ...this.#record,
      minutes: { ...minutes, [iface]: next },
      hours: { ...hours, [iface]: all.slice(-KEPT.hours) },
    };
    this.#dirty = true;
  }

  /** Minutes or hours of an uplink, the newest first. */
  samples(iface: string, scale: "minutes" | "hours", count: number): readonly WanSample[] {
    return samplesOf(this.#record[scale], iface).slice(-count).toReversed();
  }

  /** Speed tests, the newest first. */
  speeds(): readonly WanSpeed[] {
    return this.#record.speed.toReversed();
  }

  speed(result: WanSpeed): void {
    this.#set({ speed: [...this.#record.speed, result].slice(-KEPT.speed) });
  }

  /**
   * Writes what is new, when it is time or `always`; what could not be written is tried again when it
   * is time. `now`: unix seconds. Throws what the disk says, once for each time.
   */
  async flush(now: number, always = false): Promise<void> {
    if (!this.#dirty || (!always && now - this.#written < WRITE_INTERVAL_S)) {
      return await this.#writing;
    }
    this.#dirty = false;
    this.#written = now;
    const text = fileText(this.#record);
    const written = this.#writing.then(() => writeDurably(this.#path, text, "wan"));
    this.#writing = written.catch(() => {
      this.#dirty = true;
    });
    await written;
  }

  /** What must not be lost is written at the next flush. */
  #set(part: Partial<WanRecord>): void {
    this.#record = { ...this.#record, ...part };
    this.#dirty = true;
    this.#written = -Infinity;
  }
}
