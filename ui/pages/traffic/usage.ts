import type { components } from "../../generated/api.ts";
import { type Overview, topDevices } from "../home/rates.ts";
import { countryText } from "../../text/country.ts";

/** Traffic by name, as the API answers it. */
export type Names = components["schemas"]["TrafficInsightsNames"];

/** What the list shows. */
export type View = "devices" | "names" | "countries" | "networks";

/** One row of the list. */
export interface Usage {
  /** Address of a device, name or address, code of a country, number of a network. */
  readonly key: string;
  readonly name: string;
  readonly down: number;
  readonly up: number;
}

/** What traffic is narrowed to: devices that exchanged some with a name, a country or a network. */
export interface Narrowing {
  readonly view: Exclude<View, "devices">;
  readonly key: string;
  readonly name: string;
}

interface Bytes {
  readonly BytesIn: number;
  readonly BytesOut: number;
}

/** The rows of a list, the most traffic first. Null: what they are made of is not loaded. */
export function usageOf(
  { overview, names }: { readonly overview: Overview | null; readonly names: Names | null },
  view: View,
  within: Narrowing | null,
): readonly Usage[] | null {
  if (view === "names" || within?.view === "names") {
    if (names === null) return null;
    const rows = names.Names.map((one) => ({ ...one, key: one.Name || one.IP }));
    if (view === "names") return rows.map((one) => usage(one.key, one.key, one));
    return devicesOf(rows.find(({ key }) => key === within?.key)?.Devices);
  }
  if (overview === null) return null;
  const { Countries, ASNs } = overview;
  if (view === "countries") {
    return Countries.map((one) => usage(one.Country, countryText(one.Country), one));
  }
  if (view === "networks") {
    return ASNs.map((one) => usage(String(one.ASN), one.Name || `AS${one.ASN}`, one));
  }
  if (within === null) {
    return topDevices(overview, Infinity).map((one) => ({ ...one, key: one.name }));
  }
  return devicesOf(
    within.view === "countries"
      ? Countries.find(({ Country }) => Country === within.key)?.Devices
      : ASNs.find(({ ASN }) => String(ASN) === within.key)?.Devices,
  );
}

function devicesOf(
  devices: readonly (Bytes & { readonly IP: string })[] | undefined,
): readonly Usage[] {
  return (devices ?? []).map((one) => usage(one.IP, one.IP, one));
}

function usage(key: string, name: string, { BytesIn, BytesOut }: Bytes): Usage {
  return { key, name, down: BytesIn, up: BytesOut };
}

/** How a country stands out on a map, by its share of the most traffic. */
export function shadeOf(bytes: number, most: number): "" | "some" | "much" | "most" {
  if (bytes <= 0) return "";
  if (bytes >= most / 4) return "most";
  return bytes >= most / 40 ? "much" : "some";
}
