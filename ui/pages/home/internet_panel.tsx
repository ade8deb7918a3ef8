import type { VNode } from "preact";
import { useLocation } from "preact-iso/router";
import { Chart } from "../../parts/chart/chart.tsx";
import { Sparkline } from "../../parts/chart/sparkline.tsx";
import { Fault } from "../../parts/form/fault.tsx";
import { Loading } from "../../parts/load/loading.tsx";
import { type Loaded, useLoaded } from "../../parts/load/use_loaded.ts";
import { usePulse } from "../../parts/load/use_pulse.ts";
import { Name } from "../../parts/show/name.tsx";
import { rateText } from "../../text/format.ts";
import { lengthText } from "../../text/time.ts";
import { milliseconds, stateOf } from "../uplink/text.ts";
import type { Sample, Uplink } from "../uplink/wire.ts";
import { type Rates, rateSeries } from "./rates.ts";
import { t, tc } from "../../text/language.ts";

/** Milliseconds between two looks at uplinks and traffic. */
const POLL_INTERVAL_MS = 10_000;
/** Minutes of traffic that are drawn. */
const MINUTES = "60";

/** Each uplink with its health, and what goes through all of them. */
export function InternetPanel(): VNode {
  const pulse = usePulse(POLL_INTERVAL_MS);
  const uplinks = useLoaded<readonly Uplink[]>({ path: "/wan/status" }, [pulse]);
  const rates = useLoaded<Rates>(
    { path: "/traffic_rates", query: { minutes: MINUTES } },
    [pulse],
  );
  const active = uplinks.body?.find(({ Active, Up }) => Active && Up);
  return (
    <section class="panel" aria-labelledby="internet">
      <header>
        <h2 id="internet">{t("Internet")}</h2>
        <a class="s quiet" href="/admin/uplink">{t("Latency and outages")}</a>
      </header>
      {uplinks.body === null
        ? uplinks.problem === null
          ? <Loading what={t("uplinks")} rows={1} />
          : <Fault title={t("The uplinks could not be loaded.")}>{uplinks.problem.message}</Fault>
        : (
          <ul class="rows">
            {uplinks.body.map((one) => <Line key={one.Iface} uplink={one} pulse={pulse} />)}
          </ul>
        )}
      <div class="pad stack">
        <Throughput rates={rates} />
        {active !== undefined && <Latency name={active.Iface} pulse={pulse} />}
      </div>
    </section>
  );
}

function Line({ uplink, pulse }: { uplink: Uplink; pulse: number }): VNode {
  const [shape, word] = stateOf(uplink);
  const latencies = useHistory(uplink.Iface, pulse).map(latencyOf);
  return (
    <li>
      <div class="grow">
        <span class="state">
          <span class={shape} aria-hidden="true" />
          <b>
            <Name>{uplink.Iface}</Name>
          </b>
        </span>
        <p>
          {word} · {uplink.IP || t("no address")}
          {uplink.Up && uplink.LastChange > 0 &&
            t(" · for {length}", { length: lengthText(Date.now() / 1000 - uplink.LastChange) })}
        </p>
      </div>
      {uplink.Up && (
        <span class="beside">
          <span>
            {milliseconds(uplink.LatencyMs)}
            {uplink.LossPct > 0 && t(", {lossPct} % loss", { lossPct: Math.round(uplink.LossPct) })}
          </span>
          {latencies.length > 1 && (
            <Sparkline
              values={latencies}
              label={t("Latency of {iface} in the last hour", { iface: uplink.Iface })}
            />
          )}
        </span>
      )}
    </li>
  );
}

/** Samples of the last hour, oldest first. */
function useHistory(name: string, pulse: number): readonly Sample[] {
  const history = useLoaded<readonly Sample[]>({
    path: `/wan/history/${encodeURIComponent(name)}`,
    query: { scale: "minutes", count: MINUTES },
  }, [name, Math.floor(pulse / 6)]);
  return history.body?.toReversed() ?? [];
}

/** Milliseconds; null where nothing came back. */
function latencyOf({ Up, LatencyMs, LossPct }: Sample): number | null {
  return Up && LossPct < 100 && LatencyMs > 0 ? LatencyMs : null;
}

/** Latency of the uplink in use in the last hour. */
function Latency({ name, pulse }: { name: string; pulse: number }): VNode | null {
  const samples = useHistory(name, pulse);
  if (samples.length < 2) return null;
  return (
    <Chart
      label={t("Latency of {name} in the last hour", { name })}
      times={samples.map(({ Time }) => Time * 1000)}
      series={[{ word: t("Latency of {name}", { name }), values: samples.map(latencyOf) }]}
      format={milliseconds}
    />
  );
}

function Throughput({ rates }: { rates: Loaded<Rates> }): VNode {
  const { route } = useLocation();
  if (rates.body === null) {
    return rates.problem === null
      ? <Loading what={t("traffic")} rows={3} />
      : <Fault warning title={t("Traffic is not available.")}>{rates.problem.message}</Fault>;
  }
  const { times, down, up } = rateSeries(rates.body);
  if (times.length < 2) {
    return <p class="s quiet">{t("Traffic appears here a few minutes after the start.")}</p>;
  }
  return (
    <Chart
      label={t("Throughput to and from the Internet in the last hour")}
      times={times}
      series={[{ word: tc("traffic", "Down"), values: down }, {
        word: tc("traffic", "Up"),
        values: up,
        below: true,
      }]}
      format={rateText}
      onChoose={(time) => route(`/admin/traffic?at=${time}`)}
    />
  );
}
