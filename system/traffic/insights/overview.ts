import { eachNumber } from "../../core/data/varint.ts";
import type { AsnUsage, CountryUsage, DeviceUsage, InsightsOverview } from "../schema.ts";

const MAX_ASNS = 50, MAX_ASNS_OF_COUNTRY = 10;

/** A network by its number in the store. */
export interface NetworkRow {
  readonly id: number;
  readonly asn: number;
  readonly country: string;
  readonly name: string;
}

/** Bytes of devices: those of number n that were received at 2n, and sent at 2n + 1. */
type DeviceBytes = Float64Array<ArrayBuffer>;

/** Adds up the bytes of networks and devices, of millions of entries. */
export class NetworkSums {
  readonly #size: number;
  /** By the number of the network. */
  readonly networks: (DeviceBytes | undefined)[] = [];

  /** `devices`: the highest number of a device. */
  constructor(devices: number) {
    this.#size = 2 * (devices + 1);
  }

  /** Adds the entries that {@link import("./entries.ts").writeNetworks} wrote. */
  add(bytes: Uint8Array): void {
    let network = 0, at = 0;
    let row: DeviceBytes | undefined;
    eachNumber(bytes, (position, number) => {
      if (position === 0 && (number !== 0 || row === undefined)) {
        network += number;
        at = 0;
        row = this.networks[network] ??= new Float64Array(this.#size);
      } else if (position === 1) at += 2 * number;
      else if (position === 2) row![at]! += number;
      else if (position === 3) row![at + 1]! += number;
    });
  }
}

/** Bytes of a country or an autonomous system. */
interface Group {
  readonly devices: DeviceBytes;
  readonly networks: NetworkRow[];
}

/** The overview of summed networks. */
export function overviewOf(
  sums: NetworkSums,
  { networks, devices, start, end }: {
    readonly networks: ReadonlyMap<number, NetworkRow>;
    /** Addresses of devices. */
    readonly devices: ReadonlyMap<number, string>;
    /** ISO 8601. */
    readonly start: string;
    readonly end: string;
  },
): Omit<InsightsOverview, "ContainerNets"> {
  const byCountry = new Map<string, Group>(), byAsn = new Map<number, Group>();
  const bytes = new Map<NetworkRow, Sum>();
  const all = { in: 0, out: 0 };
  for (const [id, own] of sums.networks.entries()) {
    if (own === undefined) continue;
    const row = networks.get(id) ?? { id, asn: 0, country: "", name: "" };
    const sum = sumOf(own);
    bytes.set(row, sum);
    all.in += sum.in;
    all.out += sum.out;
    join(byCountry, row.country, row, own);
    if (row.asn !== 0) join(byAsn, row.asn, row, own);
  }
  const usages = (of: DeviceBytes): DeviceUsage[] => {
    const list: DeviceUsage[] = [];
    for (let at = 0; at < of.length; at += 2) {
      if (of[at] === 0 && of[at + 1] === 0) continue;
      list.push({ IP: devices.get(at / 2) ?? "", BytesIn: of[at]!, BytesOut: of[at + 1]! });
    }
    return list.sort((a, b) => b.BytesIn + b.BytesOut - a.BytesIn - a.BytesOut);
  };
  const most = (rows: readonly NetworkRow[]): readonly NetworkRow[] =>
    rows.toSorted((a, b) => total(bytes.get(b)!) - total(bytes.get(a)!));
  const Countries = ranked(byCountry).map(([Country, group, sum]): CountryUsage => ({
    Country,
    ...bytesOf(sum),
    Devices: usages(group.devices),
    ASNs: most(group.networks).slice(0, MAX_ASNS_OF_COUNTRY).map((row): AsnUsage => ({
      ASN: row.asn,
      Name: row.name,
      ...bytesOf(bytes.get(row)!),
    })),
  }));
  const ASNs = ranked(byAsn).slice(0, MAX_ASNS).map(([ASN, group, sum]): AsnUsage => {
    // A network in several countries stands under the one with the most traffic.
    const [{ name, country }] = most(group.networks) as [NetworkRow];
    return {
      ASN,
      Name: name,
      ...(country === "" ? {} : { Country: country }),
      ...bytesOf(sum),
      Devices: usages(group.devices),
    };
  });
  return { Start: start, End: end, TotalIn: all.in, TotalOut: all.out, Countries, ASNs };
}

interface Sum {
  in: number;
  out: number;
}

function total(sum: Sum): number {
  return sum.in + sum.out;
}

function sumOf(devices: DeviceBytes): Sum {
  const sum = { in: 0, out: 0 };
  for (let at = 0; at < devices.length; at += 2) {
    sum.in += devices[at]!;
    sum.out += devices[at + 1]!;
  }
  return sum;
}

function join<K>(groups: Map<K, Group>, key: K, row: NetworkRow, own: DeviceBytes): void {
  const group = groups.get(key);
  if (group === undefined) {
    groups.set(key, { devices: own.slice(), networks: [row] });
    return;
  }
  group.networks.push(row);
  const { devices } = group;
  for (let at = 0; at < own.length; at++) devices[at]! += own[at]!;
}

/** The most bytes first. */
function ranked<K>(groups: ReadonlyMap<K, Group>): readonly (readonly [K, Group, Sum])[] {
  return [...groups].map(([key, group]) => [key, group, sumOf(group.devices)] as const)
    .sort(([, , a], [, , b]) => total(b) - total(a));
}

function bytesOf(sum: Sum): { readonly BytesIn: number; readonly BytesOut: number } {
  return { BytesIn: sum.in, BytesOut: sum.out };
}
