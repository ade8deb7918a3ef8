import type { InsightsOverview, TrafficRates } from "../../../system/traffic/schema.ts";

const MINUTES = 60;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const MB = 1_000_000;

/** Networks of the Internet, with the share of the traffic that each has, from names kept for examples. */
const NETWORKS = [
  { ASN: 64496, Name: "Example Video", Country: "US", share: 0.46 },
  { ASN: 64497, Name: "Example Cloud", Country: "DE", share: 0.24 },
  { ASN: 64498, Name: "Example Games", Country: "NL", share: 0.18 },
  { ASN: 64499, Name: "Example News", Country: "FR", share: 0.12 },
] as const;
/** Megabytes of a day by the place of a device in the demo home; the rest use little. */
const DAILY = [6_400, 3_100, 1_900, 8_200, 2_700, 12, 950, 40, 35, 110];

/** Traffic of an hour, minute by minute: a steady load with two bursts. `now`: Unix milliseconds. */
export function demoRates(now: number): TrafficRates {
  const items = Array.from({ length: MINUTES }, (_, at) => {
    const burst = (at > 12 && at < 20) || (at > 38 && at < 50) ? 4 : 1;
    const WanIn = Math.round((60 + 25 * Math.sin(at / 4)) * burst * MB);
    const WanOut = Math.round(WanIn / 9);
    return {
      at: now - (MINUTES - 1 - at) * MINUTE_MS,
      ...{ WanIn, WanOut, LanIn: 8 * MB, LanOut: 3 * MB },
    };
  });
  const sum = (key: "WanIn" | "WanOut" | "LanIn" | "LanOut"): number =>
    items.reduce((total, item) => total + item[key], 0);
  const total = {
    WanIn: sum("WanIn"),
    WanOut: sum("WanOut"),
    LanIn: sum("LanIn"),
    LanOut: sum("LanOut"),
  };
  return { items, total };
}

/** Traffic of a day by devices, by their addresses in the order of the demo home, and by networks. */
export function demoOverview(addresses: readonly string[], now: number): InsightsOverview {
  const usage = (share: number) =>
    addresses.map((IP, at) => {
      const BytesIn = Math.round((DAILY[at] ?? 5) * MB * share);
      return { IP, BytesIn, BytesOut: Math.round(BytesIn / 8) };
    });
  const ASNs = NETWORKS.map(({ share, ...network }) => {
    const Devices = usage(share);
    return { ...network, ...sumOf(Devices), Devices };
  });
  const { BytesIn, BytesOut } = sumOf(ASNs);
  return {
    Start: new Date(now - DAY_MS).toISOString(),
    End: new Date(now).toISOString(),
    TotalIn: BytesIn,
    TotalOut: BytesOut,
    Countries: ASNs.map(({ Devices, ...network }) => ({
      Country: network.Country,
      BytesIn: network.BytesIn,
      BytesOut: network.BytesOut,
      Devices,
      ASNs: [network],
    })),
    ASNs,
  };
}

function sumOf(items: readonly { readonly BytesIn: number; readonly BytesOut: number }[]) {
  return {
    BytesIn: items.reduce((total, { BytesIn }) => total + BytesIn, 0),
    BytesOut: items.reduce((total, { BytesOut }) => total + BytesOut, 0),
  };
}
