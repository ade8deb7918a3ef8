import type { VNode } from "preact";
import { useLocation } from "preact-iso/router";
import { usePulse } from "../../../parts/load/use_pulse.ts";
import { DevicePanel } from "../../traffic/device_panel.tsx";
import { Throughput } from "../../traffic/throughput.tsx";

/** Milliseconds between two looks. */
const POLL_INTERVAL_MS = 30_000;
const DAY = { minutes: "1440" };
/** Destinations that are shown; the page of traffic has all. */
const SHOWN = 8;

/** What a device exchanges with the Internet now, with whom in the last day, and its connections. */
export function DeviceTraffic({ address, title }: { address: string; title: string }): VNode {
  const pulse = usePulse(POLL_INTERVAL_MS);
  const { route } = useLocation();
  const path = `/admin/traffic?device=${encodeURIComponent(address)}`;
  return (
    <>
      <Throughput
        pulse={pulse}
        address={address}
        title={title}
        onChoose={(time) => route(`${path}&at=${time}`)}
      />
      <DevicePanel address={address} title={title} time={DAY} pulse={pulse} most={SHOWN} />
    </>
  );
}
