import { and, eq, gt, inArray, lte, or, type SQL } from "drizzle-orm";
import type { Store } from "../../core/store/open.ts";
import { mergeDestinations, readDestinations } from "../insights/destination_list.ts";
import {
  type HistoryFilter,
  historyOf,
  HOUR_MS,
  HOUR_S,
  HOURS_PER_DAY,
} from "../insights/history.ts";
import { devicesOf, sumsByName } from "../insights/names.ts";
import { overviewOf } from "../insights/overview.ts";
import type { DeviceInsight, InsightsNames } from "../schema.ts";
import type { Window } from "./messages.ts";
import { chunks, ROWS_PER_STATEMENT } from "./numbers.ts";
import * as tables from "./tables.ts";

const { buckets, devices, names, networks, remotes } = tables;

/** Destinations of an answer. */
const MAX_DESTINATIONS = 500;

type Database = Store<typeof tables>["db"];
type BucketRow = typeof buckets.$inferSelect;

interface Remote {
  readonly id: number;
  readonly address: string;
  readonly asn: number | null;
  readonly country: string | null;
  readonly name: string | null;
}

/** Totals by country and network in a window, as JSON. */
export async function readOverview(
  db: Database,
  { containers, ...window }: Window & { readonly containers: readonly string[] },
): Promise<string> {
  const nets = await db.select().from(networks);
  const rows = await inWindow(db, eq(buckets.device, 0), window);
  const overview = overviewOf({
    lists: rows.map(({ data }) => data),
    networks: nets,
    devices: await addressesOfDevices(db),
    ...bounds(window),
  });
  return JSON.stringify(
    containers.length === 0 ? overview : { ...overview, ContainerNets: containers },
  );
}

/** Destinations of a device in a window, as JSON. */
export async function readDevice(
  db: Database,
  { address, ...window }: Window & { readonly address: string },
): Promise<string> {
  const [device] = await db.select().from(devices).where(eq(devices.address, address));
  const rows = device === undefined
    ? []
    : await inWindow(db, eq(buckets.device, device.id), window);
  const lists = rows.map(({ data, start }) => readDestinations(data, start * HOUR_S));
  const entries = mergeDestinations(lists, MAX_DESTINATIONS - 1);
  const addresses = await remotesBy(db, entries.map(({ remote }) => remote));
  const domains = await namesBy(db, entries.map(({ name }) => name));
  const insight: DeviceInsight = {
    IP: address,
    BytesIn: entries.reduce((sum, one) => sum + one.in, 0),
    BytesOut: entries.reduce((sum, one) => sum + one.out, 0),
    Destinations: [...entries].sort((a, b) => b.in + b.out - a.in - a.out).map((entry) => {
      const remote = addresses.get(entry.remote);
      return {
        IP: remote?.address ?? "other",
        Domain: domains.get(entry.name) ?? "",
        ASN: remote?.asn ?? 0,
        ASNName: remote?.name ?? "",
        ...(remote?.country ? { Country: remote.country } : {}),
        BytesIn: entry.in,
        BytesOut: entry.out,
        LastSeen: new Date(entry.seen * 1000).toISOString(),
      };
    }),
  };
  return JSON.stringify(insight);
}

/** Names that devices exchanged traffic with in a window, as JSON. */
export async function readNames(db: Database, window: Window): Promise<string> {
  const rows = await inWindow(db, gt(buckets.device, 0), window);
  const sums = sumsByName(rows);
  const addresses = await remotesBy(db, sums.map(({ remote }) => remote));
  const domains = await namesBy(db, sums.map(({ name }) => name));
  const known = await addressesOfDevices(db);
  const found: InsightsNames = {
    ...(({ start, end }) => ({ Start: start, End: end }))(bounds(window)),
    Names: sums.map((sum) => {
      const remote = addresses.get(sum.remote);
      return {
        Name: domains.get(sum.name) ?? "",
        IP: remote?.address ?? "",
        ASN: remote?.asn ?? 0,
        ASNName: remote?.name ?? "",
        ...(remote?.country ? { Country: remote.country } : {}),
        BytesIn: sum.in,
        BytesOut: sum.out,
        Devices: devicesOf(sum, (device) => known.get(device) ?? ""),
      };
    }),
  };
  return JSON.stringify(found);
}

/** Bytes hour by hour, or day by day, as JSON. */
export async function readHistory(
  db: Database,
  { country, asn, device, ...window }: Window & HistoryFilter,
): Promise<string> {
  const isAll = country === null && asn === null;
  const nets = isAll ? null : await db.select({ id: networks.id }).from(networks).where(and(
    country === null ? undefined : eq(networks.country, country),
    asn === null ? undefined : eq(networks.asn, asn),
  ));
  const [own] = device === null
    ? []
    : await db.select().from(devices).where(eq(devices.address, device));
  const isKnown = device === null || own !== undefined;
  return JSON.stringify(historyOf({
    lists: isKnown ? await inWindow(db, eq(buckets.device, 0), window) : [],
    networks: nets === null ? null : new Set(nets.map(({ id }) => id)),
    device: own?.id ?? null,
    ...window,
  }));
}

/** Buckets whose end is after the window's start, and which have begun. */
async function inWindow(
  db: Database,
  of: SQL,
  { from, to }: Window,
): Promise<readonly BucketRow[]> {
  const ends = (hours: number): SQL | undefined =>
    and(eq(buckets.hours, hours), gt(buckets.start, from / HOUR_MS - hours));
  return await db.select().from(buckets).where(and(
    of,
    lte(buckets.start, Math.floor(to / HOUR_MS)),
    or(ends(1), ends(HOURS_PER_DAY)),
  ));
}

function bounds({ from, to }: Window): { readonly start: string; readonly end: string } {
  return {
    start: new Date(from).toISOString(),
    end: new Date(to).toISOString(),
  };
}

async function addressesOfDevices(db: Database): Promise<ReadonlyMap<number, string>> {
  const known = await db.select().from(devices);
  return new Map(known.map(({ id, address }) => [id, address]));
}

/** Addresses with their networks by number. */
async function remotesBy(
  db: Database,
  ids: readonly number[],
): Promise<ReadonlyMap<number, Remote>> {
  const found = new Map<number, Remote>();
  for (const part of chunks(ids, ROWS_PER_STATEMENT)) {
    const rows = await db.select({
      id: remotes.id,
      address: remotes.address,
      asn: networks.asn,
      country: networks.country,
      name: networks.name,
    }).from(remotes).leftJoin(networks, eq(networks.id, remotes.network))
      .where(inArray(remotes.id, [...part]));
    for (const row of rows) found.set(row.id, row);
  }
  return found;
}

async function namesBy(
  db: Database,
  ids: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  const found = new Map<number, string>();
  for (const part of chunks([...new Set(ids)], ROWS_PER_STATEMENT)) {
    const rows = await db.select().from(names).where(inArray(names.id, [...part]));
    for (const { id, name } of rows) found.set(id, name);
  }
  return found;
}
