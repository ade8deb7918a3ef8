import { useEffect } from "preact/hooks";
import { signal } from "@preact/signals";
import { call } from "../../api/client.ts";
import { usePulse } from "../../parts/load/use_pulse.ts";
import type { Device } from "../../wire.ts";
import { type Overview, type Talker, topDevices } from "../home/rates.ts";
import type { WifiClient } from "../wifi/wire.ts";

/** Milliseconds between two looks. */
const POLL_INTERVAL_MS = 60_000;
const DAY = "1440";

/** Bytes of the last day by address, and signals in dBm by MAC address; empty until they were loaded. */
const usage = signal<{
  readonly traffic: ReadonlyMap<string, Talker>;
  readonly signals: ReadonlyMap<string, number>;
}>({ traffic: new Map(), signals: new Map() });

/**
 * Loads what the columns of traffic and signal show, while one of them is there. Without traffic counts
 * or radios the columns stay empty.
 */
export function useUsage({ traffic, signals }: { traffic: boolean; signals: boolean }): void {
  const pulse = usePulse(POLL_INTERVAL_MS);
  useEffect(() => {
    if (!traffic) return;
    call<Overview>({ path: "/traffic_insights/overview", query: { minutes: DAY } }).then(
      ({ body }) => {
        const all = topDevices(body, Infinity).map((one) => [one.name, one] as const);
        usage.value = { ...usage.value, traffic: new Map(all) };
      },
      () => {},
    );
  }, [traffic, pulse]);
  useEffect(() => {
    if (!signals) return;
    call<{ readonly items: readonly WifiClient[] }>({ path: "/wifi/clients" }).then(
      ({ body }) => {
        const all = body.items.map(({ mac, signal }) => [mac, signal] as const);
        usage.value = { ...usage.value, signals: new Map(all) };
      },
      () => {},
    );
  }, [signals, pulse]);
}

/** Bytes that a device received and sent in the last day; null where not known. */
export function trafficOf({ RecentIP }: Pick<Device, "RecentIP">): Talker | null {
  return usage.value.traffic.get(RecentIP) ?? null;
}

/** Wi-Fi signal of a device in dBm; 0 for none. */
export function signalOf({ MAC }: Pick<Device, "MAC">): number {
  return usage.value.signals.get(MAC) ?? 0;
}
