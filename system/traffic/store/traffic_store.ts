import { fileURLToPath } from "node:url";
import { and, eq, gt, gte, inArray, lt, lte, or, sql } from "drizzle-orm";
import { openStoreOf, type Store, type StoreShape } from "../../core/store/open.ts";
import {
  type DestinationEntry,
  mergeDestinations,
  readDestinations,
  writeDestinations,
} from "../insights/destination_list.ts";
import {
  mergeNetworks,
  type NetworkEntry,
  readNetworks,
  writeNetworks,
} from "../insights/network_list.ts";
import type { HistoryFilter } from "../insights/history.ts";
import type { NamedTraffic, Window } from "./messages.ts";
import { chunks, NumberTable, ROWS_PER_STATEMENT } from "./numbers.ts";
import { readDevice, readHistory, readNames, readOverview } from "./read_traffic.ts";
import * as tables from "./tables.ts";
import { HOUR_MS, HOUR_S, HOURS_PER_DAY } from "../insights/history.ts";

const { buckets, devices, marks, names, networks, remotes } = tables;

const SHAPE: StoreShape<typeof tables> = {
  schema: tables,
  migrations: fileURLToPath(new URL("./migrations", import.meta.url)),
  // A power cut may lose the last moments; a process that is killed loses nothing that was written.
  synchronous: "NORMAL",
  first: ["PRAGMA auto_vacuum=INCREMENTAL"],
};

/** Addresses of a device in an hour and in a day; the rest is one entry. */
const MAX_HOUR_REMOTES = 512, MAX_DAY_REMOTES = 64;
/** Hours that are kept as hours, at least; then a day becomes one bucket. */
const KEPT_HOURS = 24;
/** Devices of a day that one step rolls up, and rows that one step deletes. */
const DEVICES_PER_STEP = 50, ROWS_PER_STEP = 5000;

/** The network that is known anew, unless nothing is known of it, as while the lookup is away. */
const KNOWN_NETWORK = sql`CASE WHEN (SELECT asn FROM networks WHERE id = excluded.network) = 0
  THEN ${remotes.network} ELSE excluded.network END`;

type BucketRow = typeof buckets.$inferSelect;

/** A stretch of time that a bucket stands for. */
interface Span {
  /** Unix hours. */
  readonly start: number;
  readonly hours: 1 | 24;
}

/** Traffic by destination in `traffic.db`. It blocks its thread while it reads or writes. */
export class TrafficStore {
  readonly #store: Store<typeof tables>;
  readonly #devices: NumberTable<typeof devices>;
  readonly #names: NumberTable<typeof names>;
  readonly #remotes: NumberTable<typeof remotes>;

  private constructor(store: Store<typeof tables>) {
    this.#store = store;
    this.#devices = new NumberTable(store.db, devices, devices.address);
    this.#names = new NumberTable(store.db, names, names.name);
    this.#remotes = new NumberTable(store.db, remotes, remotes.address);
  }

  static async open(path: string): Promise<TrafficStore> {
    return new TrafficStore(await openStoreOf(path, SHAPE));
  }

  /** The tables, for what shares them. */
  get db(): Store<typeof tables>["db"] {
    return this.#store.db;
  }

  /** The last batch that was stored; null for none. */
  last(): Promise<string | null> {
    return this.#mark("batch");
  }

  /** Stores traffic at `at`, unix milliseconds; a batch that was stored last is passed by. */
  async add(batch: string, at: number, traffic: readonly NamedTraffic[]): Promise<void> {
    if (await this.last() === batch) return;
    const rows = traffic.length === 0 ? [] : await this.#changed(at, traffic);
    await this.db.batch([
      this.#setMark("batch", batch),
      ...chunks(rows, ROWS_PER_STATEMENT).map((part) => this.#put(part)),
    ]);
  }

  /** The buckets that traffic changes. */
  async #changed(at: number, traffic: readonly NamedTraffic[]): Promise<readonly BucketRow[]> {
    const hour = Math.floor(at / HOUR_MS), seen = Math.floor(at / 1000);
    // A clock that is set back may lead into a day that is one bucket already.
    const span: Span = hour < await this.#hoursFrom() ? dayOf(hour) : { start: hour, hours: 1 };
    const day = Math.floor(hour / HOURS_PER_DAY);
    const networkOf = await this.#networks(traffic);
    const deviceOf = await this.#devices.numbers(
      traffic.map(({ device }) => ({ address: device })),
    );
    const domains = traffic.filter(({ domain }) => domain !== "");
    const nameOf = await this.#names.numbers(
      domains.map(({ domain }) => ({ name: domain, seen: day })),
      { seen: day },
    );
    const remoteOf = await this.#remotes.numbers(
      traffic.map((one) => ({ address: one.remote, network: networkOf(one), seen: day })),
      { seen: day, network: KNOWN_NETWORK },
    );
    const byDevice = new Map<number, DestinationEntry[]>();
    const added: NetworkEntry[] = [];
    for (const one of traffic) {
      const device = deviceOf.get(one.device)!;
      const sums = { in: one.in, out: one.out };
      added.push({ device, network: networkOf(one), ...sums });
      const remote = remoteOf.get(one.remote)!, name = nameOf.get(one.domain) ?? 0;
      const list = byDevice.get(device) ?? [];
      list.push({ remote, name, seen, ...sums });
      byDevice.set(device, list);
    }
    const before = await this.#bucketsOf(span, [0, ...byDevice.keys()]);
    const all = before.get(0);
    const most = span.hours === 1 ? MAX_HOUR_REMOTES : MAX_DAY_REMOTES;
    const start = span.start * HOUR_S;
    return [
      {
        ...span,
        device: 0,
        data: writeNetworks(mergeNetworks([all === undefined ? [] : readNetworks(all), added])),
      },
      ...[...byDevice].map(([device, entries]): BucketRow => {
        const old = before.get(device);
        const lists = [old === undefined ? [] : readDestinations(old, start), entries];
        return {
          ...span,
          device,
          data: writeDestinations(mergeDestinations(lists, most), start),
        };
      }),
    ];
  }

  async #bucketsOf(
    { start, hours }: Span,
    of: readonly number[],
  ): Promise<ReadonlyMap<number, Uint8Array>> {
    const found = new Map<number, Uint8Array>();
    for (const part of chunks(of, ROWS_PER_STATEMENT)) {
      const rows = await this.db.select().from(buckets).where(and(
        inArray(buckets.device, [...part]),
        eq(buckets.hours, hours),
        eq(buckets.start, start),
      ));
      for (const { device, data } of rows) found.set(device, data);
    }
    return found;
  }

  /** The number of each one's network. */
  async #networks(
    traffic: readonly NamedTraffic[],
  ): Promise<(one: NamedTraffic) => number> {
    const key = (asn: number, country: string): string => `${asn} ${country}`;
    const wanted = new Map(traffic.map((one) => [key(one.asn, one.country), one]));
    const rows = [...wanted.values()].map(({ asn, country, network }) => ({
      asn,
      country,
      name: network,
    }));
    const numbers = new Map<string, number>();
    for (const part of chunks(rows, ROWS_PER_STATEMENT)) {
      const known = await this.db.insert(networks).values([...part]).onConflictDoUpdate({
        target: [networks.asn, networks.country],
        set: { name: sql`excluded.name` },
      }).returning();
      for (const row of known) numbers.set(key(row.asn, row.country), row.id);
    }
    return ({ asn, country }) => numbers.get(key(asn, country))!;
  }

  /** Totals by country and network in a window, as JSON. */
  overview(window: Window & { readonly containers: readonly string[] }): Promise<string> {
    return readOverview(this.db, window);
  }

  /** Destinations of a device in a window, as JSON. */
  device(window: Window & { readonly address: string }): Promise<string> {
    return readDevice(this.db, window);
  }

  /** Names that devices exchanged traffic with in a window, as JSON. */
  names(window: Window): Promise<string> {
    return readNames(this.db, window);
  }

  /** Bytes hour by hour, or day by day, as JSON. */
  history(window: Window & HistoryFilter): Promise<string> {
    return readHistory(this.db, window);
  }

  /** One step of rolling up and of retention; true where more is to be done. */
  async trim(now: number, days: number): Promise<boolean> {
    const hour = Math.floor(now / HOUR_MS);
    if (await this.#rollUp(hour)) return true;
    const oldest = hour - days * HOURS_PER_DAY;
    const isOld = or(
      and(eq(buckets.hours, 1), lte(buckets.start, oldest - 1)),
      and(eq(buckets.hours, HOURS_PER_DAY), lte(buckets.start, oldest - HOURS_PER_DAY)),
    );
    const old = await this.db.select({ id: sql<number>`rowid` }).from(buckets).where(isOld)
      .limit(ROWS_PER_STEP);
    if (old.length > 0) {
      await this.db.delete(buckets).where(inArray(sql`rowid`, old.map(({ id }) => id)));
    }
    const day = Math.floor(oldest / HOURS_PER_DAY);
    await this.db.delete(remotes).where(lt(remotes.seen, day));
    await this.db.delete(names).where(lt(names.seen, day));
    await this.db.$client.executeMultiple("PRAGMA incremental_vacuum");
    return old.length === ROWS_PER_STEP;
  }

  /** Makes one bucket of the hours of a day, some devices at a time; true where there is more to do. */
  async #rollUp(hour: number): Promise<boolean> {
    const [first] = await this.db.select({ start: sql<number | null>`min(${buckets.start})` })
      .from(buckets).where(and(eq(buckets.device, 0), eq(buckets.hours, 1)));
    if (first === undefined || first.start === null) return false;
    const { start } = dayOf(first.start);
    if (start + HOURS_PER_DAY + KEPT_HOURS > hour) return false;
    const ofDay = and(
      eq(buckets.hours, 1),
      gte(buckets.start, start),
      lt(buckets.start, start + HOURS_PER_DAY),
    );
    const left = await this.db.selectDistinct({ device: buckets.device }).from(buckets)
      .where(and(ofDay, gt(buckets.device, 0))).orderBy(buckets.device).limit(DEVICES_PER_STEP);
    // That of all devices last: while it is there, the day is not done.
    const of = left.length > 0 ? left.map(({ device }) => device) : [0];
    const rows = await this.db.select().from(buckets)
      .where(and(ofDay, inArray(buckets.device, of)));
    const span: Span = { start, hours: 24 };
    const before = await this.#bucketsOf(span, of);
    const days = of.map((device): BucketRow => {
      const old = before.get(device);
      const parts = rows.filter((row) => row.device === device);
      if (device === 0) {
        const lists = [
          ...(old ? [readNetworks(old)] : []),
          ...parts.map((r) => readNetworks(r.data)),
        ];
        return { ...span, device, data: writeNetworks(mergeNetworks(lists)) };
      }
      const lists = [
        ...(old ? [readDestinations(old, start * HOUR_S)] : []),
        ...parts.map((row) => readDestinations(row.data, row.start * HOUR_S)),
      ];
      const merged = mergeDestinations(lists, MAX_DAY_REMOTES);
      return { ...span, device, data: writeDestinations(merged, start * HOUR_S) };
    });
    // From the first step on, late traffic of that day goes into the day.
    const until = Math.max(start + HOURS_PER_DAY, await this.#hoursFrom());
    await this.db.batch([
      this.#setMark("hours", String(until)),
      this.#put(days),
      this.db.delete(buckets).where(and(ofDay, inArray(buckets.device, of))),
    ]);
    return true;
  }

  /** The hour from which on hours are kept as such. */
  async #hoursFrom(): Promise<number> {
    return Number(await this.#mark("hours") ?? -Infinity);
  }

  async #mark(name: string): Promise<string | null> {
    const [row] = await this.db.select().from(marks).where(eq(marks.name, name));
    return row?.value ?? null;
  }

  #setMark(name: string, value: string) {
    return this.db.insert(marks).values({ name, value })
      .onConflictDoUpdate({ target: marks.name, set: { value } });
  }

  #put(rows: readonly BucketRow[]) {
    return this.db.insert(buckets).values([...rows]).onConflictDoUpdate({
      target: [buckets.device, buckets.hours, buckets.start],
      set: { data: sql`excluded.data` },
    });
  }

  close(): void {
    this.#store.close();
  }
}

function dayOf(hour: number): Span {
  return { start: hour - hour % HOURS_PER_DAY, hours: 24 };
}
