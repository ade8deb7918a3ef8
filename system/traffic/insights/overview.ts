import type { AsnUsage, CountryUsage, DeviceUsage, InsightsOverview } from "../schema.ts";
import { type NetworkList, readNetworkList } from "./network_list.ts";

const MAX_ASNS = 50, MAX_ASNS_OF_COUNTRY = 10;

/** A network by its number in the store. */
export interface NetworkRow {
  readonly id: number;
  readonly asn: number;
  readonly country: string;
  readonly name: string;
}

/** What an overview is made of. */
export interface OverviewSources {
  /** Lists of networks and devices with their bytes, as the store keeps them. */
  readonly lists: readonly Uint8Array[];
  readonly networks: readonly NetworkRow[];
  /** Addresses of devices by their numbers. */
  readonly devices: ReadonlyMap<number, string>;
  /** ISO 8601. */
  readonly start: string;
  readonly end: string;
}

interface Sum {
  in: number;
  out: number;
}

/** Bytes of devices: what that of number n received at 2n, and sent at 2n + 1. */
type DeviceBytes = Float64Array<ArrayBuffer>;

/** Networks that are one to the reader: of a country, or of an autonomous system. */
interface Group<K> extends Readonly<Sum> {
  readonly key: K;
  readonly networks: NetworkRow[];
  readonly devices: DeviceBytes;
}

/**
 * The overview of lists, which may have a million entries: only networks with the most bytes get a sum
 * for each device of their own, so that each entry is added to one sum.
 */
export function overviewOf(sources: OverviewSources): Omit<InsightsOverview, "ContainerNets"> {
  const { networks, devices, start, end } = sources;
  const lists = sources.lists.map(readNetworkList);
  const size = 2 * (1 + devices.keys().reduce((most, id) => Math.max(most, id), 0));
  const totals = networkTotals(lists);
  const sumOf = ({ id }: NetworkRow): Sum => totals[id] ?? NOTHING;
  const most = (rows: readonly NetworkRow[]): readonly NetworkRow[] =>
    rows.toSorted((a, b) => byBytes(sumOf(a), sumOf(b)));
  const countries = grouped(networks, ({ country }) => country, { size, sumOf });
  const known = networks.filter(({ asn }) => asn !== 0);
  const asns = grouped(known, ({ asn }) => asn, { size, sumOf, most: MAX_ASNS });
  const sums: DeviceBytes[] = [];
  for (const { networks, devices } of countries) for (const { id } of networks) sums[id] = devices;
  const top = asns.flatMap(({ networks, devices }) =>
    networks.flatMap(({ id }) => {
      const own = new Float64Array(size), country = sums[id];
      if (country === undefined) return [];
      sums[id] = own;
      return [{ own, devices, country }];
    })
  );
  for (const list of lists) addUp(list, sums);
  for (const { own, devices, country } of top) {
    addTo(devices, own);
    addTo(country, own);
  }
  const Countries = countries.map((group): CountryUsage => ({
    Country: group.key,
    ...bytesOf(group),
    Devices: usages(group.devices, devices),
    ASNs: most(group.networks).slice(0, MAX_ASNS_OF_COUNTRY)
      .filter((row) => sumOf(row).in + sumOf(row).out > 0)
      .map((row): AsnUsage => ({ ASN: row.asn, Name: row.name, ...bytesOf(sumOf(row)) })),
  }));
  const ASNs = asns.map((group): AsnUsage => {
    // A network in several countries stands under the one with the most traffic.
    const [{ name, country }] = most(group.networks) as [NetworkRow];
    return {
      ASN: group.key,
      Name: name,
      ...(country === "" ? {} : { Country: country }),
      ...bytesOf(group),
      Devices: usages(group.devices, devices),
    };
  });
  const TotalIn = Countries.reduce((sum, { BytesIn }) => sum + BytesIn, 0);
  const TotalOut = Countries.reduce((sum, { BytesOut }) => sum + BytesOut, 0);
  return { Start: start, End: end, TotalIn, TotalOut, Countries, ASNs };
}

const NOTHING: Sum = { in: 0, out: 0 };

/** The bytes of each network in all lists. */
function networkTotals(lists: readonly NetworkList[]): readonly (Sum | undefined)[] {
  const totals: (Sum | undefined)[] = [];
  for (const { networks, ends, received, sent } of lists) {
    for (let run = 0, at = 0; run < networks.length; run++) {
      let allReceived = 0, allSent = 0;
      for (; at < ends[run]!; at++) {
        allReceived += received[at]!;
        allSent += sent[at]!;
      }
      const total = totals[networks[run]!] ??= { in: 0, out: 0 };
      total.in += allReceived;
      total.out += allSent;
    }
  }
  return totals;
}

/** Adds the bytes of devices in a list to the sums of their networks, by number; others are left out. */
function addUp(
  { networks, ends, devices, received, sent }: NetworkList,
  sumsOf: readonly (DeviceBytes | undefined)[],
): void {
  for (let run = 0, at = 0; run < networks.length; run++) {
    const sums = sumsOf[networks[run]!], end = ends[run]!;
    if (sums === undefined) at = end;
    else {
      for (; at < end; at++) {
        const device = 2 * devices[at]!;
        sums[device]! += received[at]!;
        sums[device + 1]! += sent[at]!;
      }
    }
  }
}

function addTo(sums: DeviceBytes, more: DeviceBytes): void {
  for (let at = 0; at < sums.length; at++) sums[at]! += more[at]!;
}

/**
 * Groups of networks with their bytes, those with the most first, at most `most`; those without any are
 * left out. The bytes of devices, of which there are `size` numbers, are still to be added.
 */
function grouped<K>(
  networks: readonly NetworkRow[],
  keyOf: (row: NetworkRow) => K,
  { size, sumOf, most = Infinity }: {
    readonly size: number;
    readonly sumOf: (row: NetworkRow) => Sum;
    readonly most?: number;
  },
): readonly Group<K>[] {
  const sums = [...Map.groupBy(networks, keyOf)].map(([key, rows]) => {
    const sum = { key, networks: rows, in: 0, out: 0 };
    for (const row of rows) {
      sum.in += sumOf(row).in;
      sum.out += sumOf(row).out;
    }
    return sum;
  });
  return sums.filter((sum) => sum.in + sum.out > 0).sort(byBytes).slice(0, most)
    .map((sum) => ({ ...sum, devices: new Float64Array(size) }));
}

function byBytes(a: Readonly<Sum>, b: Readonly<Sum>): number {
  return b.in + b.out - a.in - a.out;
}

/** Devices with their bytes, those with the most first. */
function usages(bytes: DeviceBytes, addresses: ReadonlyMap<number, string>): DeviceUsage[] {
  const sums = new Float64Array(bytes.length / 2);
  const active: number[] = [];
  for (let device = 0; device < sums.length; device++) {
    sums[device] = bytes[2 * device]! + bytes[2 * device + 1]!;
    if (sums[device]! > 0) active.push(device);
  }
  return active.sort((a, b) => sums[b]! - sums[a]!).map((device) => ({
    IP: addresses.get(device) ?? "",
    BytesIn: bytes[2 * device]!,
    BytesOut: bytes[2 * device + 1]!,
  }));
}

function bytesOf(sum: Readonly<Sum>): { readonly BytesIn: number; readonly BytesOut: number } {
  return { BytesIn: sum.in, BytesOut: sum.out };
}
