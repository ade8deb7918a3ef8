import type { Stations, WifiNetwork } from "./wire.ts";

/** A station as the list shows it. */
export interface Client {
  readonly mac: string;
  readonly network: string;
  readonly ssid: string;
  /** dBm; 0 not known. */
  readonly signal: number;
  /** Mbit/s to and from the station; 0 not known. */
  readonly down: number;
  readonly up: number;
  readonly security: string;
  /** Seconds since it joined. */
  readonly seconds: number;
}

/** Cipher suites of WPA3 (IEEE 802.11-2020 table 9-151: SAE and its kin). */
const WPA3_SUITES = /^00-0f-ac-(8|9|24|25)$/;

/** The stations of a network that have joined. */
export function clientsOf({ name, ssid }: WifiNetwork, stations: Stations): readonly Client[] {
  return Object.entries(stations)
    .filter(([, lines]) => lines["flags"]?.includes("[AUTHORIZED]"))
    .map(([mac, lines]) => {
      const suite = lines["AKMSuiteSelector"] ?? "";
      return {
        mac,
        network: name,
        ssid,
        signal: number(lines["signal"]),
        // In units of 100 kbit/s, with the mode behind it.
        down: rate(lines["tx_rate_info"]),
        up: rate(lines["rx_rate_info"]),
        security: suite === "" ? "open" : WPA3_SUITES.test(suite) ? "WPA3" : "WPA2",
        seconds: number(lines["connected_time"]),
      };
    });
}

function number(text: string | undefined): number {
  const value = Number(text ?? "");
  return Number.isFinite(value) ? value : 0;
}

function rate(text: string | undefined): number {
  return Math.round(number(text?.split(" ")[0]) / 10);
}
