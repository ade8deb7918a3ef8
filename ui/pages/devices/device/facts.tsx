import type { VNode } from "preact";
import { Sparkline } from "../../../parts/chart/sparkline.tsx";
import { useLoaded } from "../../../parts/load/use_loaded.ts";
import { usePulse } from "../../../parts/load/use_pulse.ts";
import { rateText } from "../../../text/format.ts";
import { clock, dayName, parseWhen } from "../../../text/time.ts";
import type { Device } from "../../../wire.ts";
import { type Rates, rateSeries } from "../../home/rates.ts";
import { signalGrade } from "../../wifi/client_text.ts";
import type { WifiClient } from "../../wifi/wire.ts";
import { seenText } from "../last_seen.ts";
import { t, tc } from "../../../text/language.ts";

/** Milliseconds between two looks. */
const POLL_INTERVAL_MS = 15_000;
/** Minutes of throughput that are drawn. */
const MINUTES = "30";

/** How a device does now: throughput, when it was last seen, and its Wi-Fi signal. */
export function Facts({ device }: { device: Device }): VNode {
  const pulse = usePulse(POLL_INTERVAL_MS);
  const rates = useLoaded<Rates>(
    device.RecentIP === ""
      ? null
      : { path: "/traffic_rates", query: { minutes: MINUTES, address: device.RecentIP } },
    [device.RecentIP, pulse],
  );
  const radio = useLoaded<{ readonly items: readonly WifiClient[] }>(
    device.MAC === "" || !device.Online
      ? null
      : { path: "/wifi/clients", query: { mac: device.MAC } },
    [device.MAC, device.Online, pulse],
  );
  const signal = radio.problem === null ? radio.body?.items[0]?.signal ?? 0 : 0;
  const { down, up } = rates.body === null ? { down: [], up: [] } : rateSeries(rates.body);
  return (
    <dl class="facts">
      <div>
        <dt>{tc("traffic", "Down")}</dt>
        <dd>
          {rateOf(down)}
          {down.length > 1 && <Sparkline values={down} label={t("Down in the last half hour")} />}
        </dd>
      </div>
      <div>
        <dt>{tc("traffic", "Up")}</dt>
        <dd>
          {rateOf(up)}
          {up.length > 1 && <Sparkline values={up} label={t("Up in the last half hour")} />}
        </dd>
      </div>
      <div>
        <dt>{t("Last seen")}</dt>
        <dd>{lastSeenText(device, Date.now())}</dd>
      </div>
      <div>
        <dt>{t("Signal")}</dt>
        <dd>
          {signal === 0
            ? t("no Wi-Fi")
            : t("{signal} dBm, {signalGrade}", { signal, signalGrade: signalGrade(signal) })}
        </dd>
      </div>
    </dl>
  );
}

function rateOf(values: readonly number[]): string {
  const last = values.at(-1);
  return last === undefined ? "unknown" : rateText(last);
}

function lastSeenText(device: Device, now: number): string {
  const seen = seenText(device, now);
  const at = parseWhen(device.DHCPLastTime);
  if (device.Online || at === null) return seen;
  return t("{seen} ago, {dayName} {clock}", { seen, dayName: dayName(at, now), clock: clock(at) });
}
