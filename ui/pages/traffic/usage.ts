import { type Overview, type Talker, topDevices, topNetworks } from "../home/rates.ts";

/** What the list shows. */
export type View = "devices" | "countries" | "networks";

/** What traffic is narrowed to: devices that exchanged some with a country or a network. */
export interface Narrowing {
  readonly view: "countries" | "networks";
  readonly name: string;
}

/** A country for people; its code where it has no name. */
export function countryText(code: string): string {
  if (code === "") return "Unknown country";
  try {
    return new Intl.DisplayNames("en", { type: "region" }).of(code) ?? code;
  } catch {
    return code;
  }
}

/** The rows of a list, the most traffic first. */
export function usageOf(
  overview: Overview,
  view: View,
  within: Narrowing | null,
): readonly Talker[] {
  if (view === "networks") return topNetworks(overview, Infinity);
  if (view === "countries") {
    return overview.Countries.map(({ Country, BytesIn, BytesOut }) => ({
      name: countryText(Country),
      down: BytesIn,
      up: BytesOut,
    }));
  }
  if (within === null) return topDevices(overview, Infinity);
  const devices = within.view === "countries"
    ? overview.Countries.find(({ Country }) => countryText(Country) === within.name)?.Devices
    : overview.ASNs.find(({ ASN, Name }) => (Name || `AS${ASN}`) === within.name)?.Devices;
  return (devices ?? []).map(({ IP, BytesIn, BytesOut }) => ({
    name: IP,
    down: BytesIn,
    up: BytesOut,
  }));
}
