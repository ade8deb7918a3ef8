import type { components } from "../../generated/api.ts";
import { t } from "../../text/language.ts";

type Schemas = components["schemas"];

/** Bytes minute by minute. */
export type Rates = Schemas["TrafficRates"];

/** Traffic by country, network and device. */
export type Overview = Schemas["TrafficInsightsOverview"];

const SECONDS = 60;

/** Bits per second to and from the Internet, at the end of each minute. */
export function rateSeries({ items }: Rates): {
  readonly times: readonly number[];
  readonly down: readonly number[];
  readonly up: readonly number[];
} {
  const bits = (bytes: number): number => bytes * 8 / SECONDS;
  return {
    times: items.map(({ at }) => at),
    down: items.map(({ WanIn }) => bits(WanIn)),
    up: items.map(({ WanOut }) => bits(WanOut)),
  };
}

/** What exchanged traffic, and how much. */
export interface Talker {
  readonly name: string;
  readonly down: number;
  readonly up: number;
}

/** Addresses of devices with the most traffic, of all countries together. */
export function topDevices({ Countries }: Overview, most: number): readonly Talker[] {
  const sums = new Map<string, Talker>();
  for (const { IP, BytesIn, BytesOut } of Countries.flatMap(({ Devices }) => Devices)) {
    const before = sums.get(IP) ?? { name: IP, down: 0, up: 0 };
    sums.set(IP, { name: IP, down: before.down + BytesIn, up: before.up + BytesOut });
  }
  return largest([...sums.values()], most);
}

/** Codes of the countries that devices exchanged the most traffic with; "" where it is not known. */
export function topCountries({ Countries }: Overview, most: number): readonly Talker[] {
  return largest(
    Countries.map(({ Country, BytesIn, BytesOut }) => ({
      name: Country,
      down: BytesIn,
      up: BytesOut,
    })),
    most,
  );
}

/** Networks that devices exchanged the most traffic with. */
export function topNetworks({ ASNs }: Overview, most: number): readonly Talker[] {
  return largest(
    ASNs.map(({ ASN, Name, BytesIn, BytesOut }) => ({
      name: Name || (ASN === 0 ? t("Unknown network") : `AS${ASN}`),
      down: BytesIn,
      up: BytesOut,
    })),
    most,
  );
}

function largest(list: readonly Talker[], most: number): readonly Talker[] {
  return list.toSorted((a, b) => b.down + b.up - a.down - a.up).slice(0, most);
}
