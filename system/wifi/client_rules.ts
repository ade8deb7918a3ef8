import * as z from "zod";
import type { StationOnAir } from "./control_schema.ts";
import { channelAt } from "./radio/channels.ts";

/** A station that has joined, as people are shown it. */
export const WifiClient = z.object({
  mac: z.string(),
  /** Its network: `wlan0`, or `wlan0.ap0` for an additional one. */
  network: z.string(),
  radio: z.string(),
  ssid: z.string(),
  /** "" not known. */
  band: z.enum(["2.4", "5", "6", ""]),
  /** dBm; 0 not known. */
  signal: z.number(),
  /** Mbit/s to and from the station; 0 not known. */
  down: z.number(),
  up: z.number(),
  security: z.enum(["open", "WPA2", "WPA3"]),
  /** Seconds since it joined. */
  seconds: z.int(),
  /** Frames to the station since then, those that were sent once more, and those given up; null not known. */
  sent: z.int().nullable(),
  retries: z.int().nullable(),
  failed: z.int().nullable(),
}).meta({ id: "WifiClient" });
export type WifiClient = z.output<typeof WifiClient>;

/** Suites of WPA3 (IEEE 802.11-2020 table 9-151: SAE and its kin). */
const WPA3_SUITES = /^00-0f-ac-(8|9|24|25)$/;

/** A station in the terms of people. `frequency`: MHz of its radio; 0 not known. */
export function wifiClient(
  { network, mac, lines, counters }: StationOnAir,
  { ssid, frequency }: { readonly ssid: string; readonly frequency: number },
): WifiClient {
  const suite = lines["AKMSuiteSelector"] ?? "";
  return {
    mac,
    network,
    radio: radioOf(network),
    ssid,
    band: channelAt(frequency)?.band ?? "",
    signal: number(lines["signal"]),
    down: rate(lines["tx_rate_info"]),
    up: rate(lines["rx_rate_info"]),
    security: suite === "" ? "open" : WPA3_SUITES.test(suite) ? "WPA3" : "WPA2",
    seconds: Math.trunc(number(lines["connected_time"])),
    sent: counters?.sent ?? null,
    retries: counters?.retries ?? null,
    failed: counters?.failed ?? null,
  };
}

/** Radio of a network: `wlan0` of `wlan0.ap0`. */
export function radioOf(network: string): string {
  return network.replace(/\.ap\d+$/, "");
}

function number(text: string | undefined): number {
  const value = Number(text ?? "");
  return Number.isFinite(value) ? value : 0;
}

/** hostapd has units of 100 kbit/s, with the mode behind them. */
function rate(text: string | undefined): number {
  return Math.round(number(text?.split(" ")[0]) / 10);
}
