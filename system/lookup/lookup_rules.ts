import { type Address, formatAddress, parseAddress, parseIpv4, unmapped } from "../core/net/net.ts";
import { isNonPublicAddress, isNonPublicIpv4 } from "../dns/block/verdict/rebinding.ts";
import type { AsnFound, AsnResult, OuiResult } from "./schema.ts";
import type { CompiledRanges, NetworkNames } from "./tables/compile_ranges.ts";
import { countryCode } from "./tables/data_row.ts";
import { find4, find6, words6 } from "./tables/range_table.ts";
import { indexOf, textAt } from "./tables/text_list.ts";
import { vendorOf, type VendorTable } from "./tables/vendor_table.ts";

/** Networks with their names. */
export type NetworkTable = CompiledRanges & NetworkNames;

/** The tables that there are; null until one was compiled. */
export interface Tables {
  readonly networks: NetworkTable | null;
  readonly countries: CompiledRanges | null;
  readonly vendors: VendorTable | null;
}

/** Most networks that a search answers. */
const MAX_FOUND = 25;

function find(table: CompiledRanges, address: Address): number {
  return address.family === 4
    ? find4(table.four, Number(address.value))
    : find6(table.six, words6(address.value));
}

/** Name of a network; empty where it has none. */
function networkName(networks: NetworkNames, asn: number): string {
  const index = indexOf(networks.numbers, asn);
  return index < 0 ? "" : textAt(networks.names, index);
}

/**
 * Network and country of an address. One without a zone is looked up, an IPv4-mapped one as IPv4; what
 * is not on the Internet (private, loopback, multicast) and what is no address belongs to no network.
 */
export function lookUpAddress(tables: Tables, text: string): AsnResult {
  const { networks, countries } = tables;
  const four = parseIpv4(text);
  if (four !== null) return lookUpIpv4(tables, text, four);
  const bare = text.trim().replace(/%[^%]*$/, "");
  const parsed = parseAddress(bare);
  if (parsed === null) return { IP: text, ASN: 0, Name: "", Country: "" };
  const IP = formatAddress(parsed);
  if (isNonPublicAddress(bare)) return { IP, ASN: 0, Name: "", Country: "" };
  const address = unmapped(parsed);
  const ASN = networks === null ? 0 : find(networks, address);
  return {
    IP,
    ASN,
    Name: networks === null || ASN === 0 ? "" : networkName(networks, ASN),
    Country: countries === null ? "" : countryCode(find(countries, address)),
  };
}

/** The same for IPv4, which most addresses are, by numbers alone. */
function lookUpIpv4({ networks, countries }: Tables, IP: string, address: number): AsnResult {
  if (isNonPublicIpv4(address)) return { IP, ASN: 0, Name: "", Country: "" };
  const ASN = networks === null ? 0 : find4(networks.four, address);
  return {
    IP,
    ASN,
    Name: networks === null || ASN === 0 ? "" : networkName(networks, ASN),
    Country: countries === null ? "" : countryCode(find4(countries.four, address)),
  };
}

/** The twelve hexadecimal digits of a MAC address, with `:`, `-`, `.` or nothing between; null: it is none. */
function macDigits(text: string): string | null {
  const trimmed = text.trim().toLowerCase();
  const isMac = /^[0-9a-f]{2}([:-][0-9a-f]{2}){5}$|^[0-9a-f]{12}$|^[0-9a-f]{4}(\.[0-9a-f]{4}){2}$/;
  return isMac.test(trimmed) ? trimmed.replaceAll(/[:.-]/g, "") : null;
}

/**
 * True for an address that its device made up (locally administered, IEEE 802 clause 8.4), as phones do
 * for each network: no vendor has it.
 */
export function isRandomized(digits: string): boolean {
  return (parseInt(digits.slice(0, 2), 16) & 3) === 2;
}

/** Vendor of a MAC address; empty where it is not known, randomized, of a group, or no MAC address. */
export function lookUpMac({ vendors }: Tables, text: string): OuiResult {
  const digits = macDigits(text);
  const hasVendor = digits !== null && vendors !== null && !isRandomized(digits);
  return { MAC: text, Vendor: hasVendor ? vendorOf(vendors, digits) : "" };
}

/**
 * Networks by number (`AS13335`, `13335`), or those whose name has the text, most ranges first.
 */
export function searchNetworks(tables: Tables, query: string): readonly AsnFound[] {
  const { networks } = tables;
  if (networks === null) return [];
  const number = /^(?:AS)?\s*(\d{1,10})$/i.exec(query.trim())?.[1];
  const indexes = number === undefined
    ? namesWith(networks, query.trim().toLowerCase())
    : [indexOf(networks.numbers, Number(number))].filter((index) => index >= 0);
  if (indexes.length === 0) return [];
  const wanted = new Map(indexes.map((index) => [networks.numbers[index]!, index]));
  const counts = countRanges(networks, wanted);
  return [...wanted].map(([ASN, index]) => ({
    ASN,
    Name: textAt(networks.names, index),
    Country: countryCode(firstCountry(tables, counts.get(ASN)?.first)),
    RangeCount: counts.get(ASN)?.count ?? 0,
  })).sort((a, b) => b.RangeCount - a.RangeCount || a.ASN - b.ASN).slice(0, MAX_FOUND);
}

function namesWith({ numbers, names }: NetworkTable, part: string): readonly number[] {
  const found: number[] = [];
  for (let index = 0; index < numbers.length; index++) {
    if (textAt(names, index).toLowerCase().includes(part)) found.push(index);
  }
  return found;
}

interface RangeCount {
  count: number;
  readonly first: Address;
}

function countRanges(
  { four, six }: CompiledRanges,
  wanted: ReadonlyMap<number, unknown>,
): ReadonlyMap<number, RangeCount> {
  const counts = new Map<number, RangeCount>();
  const count = (asn: number, first: () => Address): void => {
    if (!wanted.has(asn)) return;
    const known = counts.get(asn);
    if (known === undefined) counts.set(asn, { count: 1, first: first() });
    else known.count++;
  };
  four.values.forEach((asn, row) =>
    count(asn, () => ({ family: 4, value: BigInt(four.starts[row]!) }))
  );
  six.values.forEach((asn, row) =>
    count(asn, () => ({ family: 6, value: BigInt(six.starts[4 * row]!) << 96n | 1n }))
  );
  return counts;
}

function firstCountry({ countries }: Tables, first: Address | undefined): number {
  return countries === null || first === undefined ? 0 : find(countries, first);
}
