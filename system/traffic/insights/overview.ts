import type { AsnUsage, CountryUsage, DeviceUsage, InsightsOverview } from "../schema.ts";
import { eachNetwork } from "./entries.ts";

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
interface Group<K> extends Sum {
  readonly key: K;
  readonly networks: NetworkRow[];
  readonly devices: DeviceBytes;
}

/**
 * The overview of lists, which may have a million entries: they are gone through twice, so that only
 * the networks with the most bytes need a sum for each device.
 */
export function overviewOf(sources: OverviewSources): Omit<InsightsOverview, "ContainerNets"> {
  const { lists, networks, devices, start, end } = sources;
  const size = 2 * (1 + devices.keys().reduce((most, id) => Math.max(most, id), 0));
  const totals = new Float64Array(
    2 * (1 + networks.reduce((most, { id }) => Math.max(most, id), 0)),
  );
  const countries = grouped(networks, ({ country }) => country, size);
  for (const list of lists) {
    eachNetwork(list, (network, device, received, sent) => {
      totals[2 * network]! += received;
      totals[2 * network + 1]! += sent;
      const own = countries.of[network];
      if (own === undefined) return;
      own[2 * device]! += received;
      own[2 * device + 1]! += sent;
    });
  }
  const sumOf = ({ id }: NetworkRow): Sum => ({ in: totals[2 * id]!, out: totals[2 * id + 1]! });
  const most = (rows: readonly NetworkRow[]): readonly NetworkRow[] =>
    rows.toSorted((a, b) => byBytes(sumOf(a), sumOf(b)));
  const known = networks.filter(({ asn }) => asn !== 0);
  const top = new Set(
    ranked(grouped(known, ({ asn }) => asn, 0).groups, sumOf).slice(0, MAX_ASNS)
      .map(({ key }) => key),
  );
  const asns = grouped(known.filter(({ asn }) => top.has(asn)), ({ asn }) => asn, size);
  for (const list of lists) {
    eachNetwork(list, (network, device, received, sent) => {
      const own = asns.of[network];
      if (own === undefined) return;
      own[2 * device]! += received;
      own[2 * device + 1]! += sent;
    });
  }
  const Countries = ranked(countries.groups, sumOf).map((group): CountryUsage => ({
    Country: group.key,
    ...bytesOf(group),
    Devices: usages(group.devices, devices),
    ASNs: most(group.networks).slice(0, MAX_ASNS_OF_COUNTRY)
      .filter((row) => totals[2 * row.id] !== 0 || totals[2 * row.id + 1] !== 0)
      .map((row): AsnUsage => ({ ASN: row.asn, Name: row.name, ...bytesOf(sumOf(row)) })),
  }));
  const ASNs = ranked(asns.groups, sumOf).map((group): AsnUsage => {
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

/** Groups of networks, and the bytes of devices of each network's group by the network's number. */
function grouped<K>(
  networks: readonly NetworkRow[],
  keyOf: (row: NetworkRow) => K,
  size: number,
): { readonly groups: readonly Group<K>[]; readonly of: readonly (DeviceBytes | undefined)[] } {
  const of: DeviceBytes[] = [];
  const groups = [...Map.groupBy(networks, keyOf)].map(([key, rows]): Group<K> => {
    const devices = new Float64Array(size);
    for (const { id } of rows) of[id] = devices;
    return { key, networks: rows, devices, in: 0, out: 0 };
  });
  return { groups, of };
}

/** Groups with their sums, those with the most bytes first; those without any are left out. */
function ranked<K>(
  groups: readonly Group<K>[],
  sumOf: (row: NetworkRow) => Sum,
): readonly Group<K>[] {
  for (const group of groups) {
    for (const row of group.networks) {
      const sum = sumOf(row);
      group.in += sum.in;
      group.out += sum.out;
    }
  }
  return groups.filter((group) => group.in + group.out > 0).sort(byBytes);
}

function byBytes(a: Sum, b: Sum): number {
  return b.in + b.out - a.in - a.out;
}

/** Devices with their bytes, those with the most first. */
function usages(bytes: DeviceBytes, addresses: ReadonlyMap<number, string>): DeviceUsage[] {
  const list: DeviceUsage[] = [];
  for (let at = 0; at < bytes.length; at += 2) {
    const [received, sent] = [bytes[at]!, bytes[at + 1]!];
    if (received === 0 && sent === 0) continue;
    list.push({ IP: addresses.get(at / 2) ?? "", BytesIn: received, BytesOut: sent });
  }
  return list.sort((a, b) => b.BytesIn + b.BytesOut - a.BytesIn - a.BytesOut);
}

function bytesOf(sum: Sum): { readonly BytesIn: number; readonly BytesOut: number } {
  return { BytesIn: sum.in, BytesOut: sum.out };
}
