import type { VNode } from "preact";
import { useCallback, useMemo } from "preact/hooks";
import { useSignal } from "@preact/signals";
import { Chart } from "../../parts/chart/chart.tsx";
import { Seg } from "../../parts/form/choice_field.tsx";
import { Fault } from "../../parts/form/fault.tsx";
import { useLoaded } from "../../parts/load/use_loaded.ts";
import { usePulse } from "../../parts/load/use_pulse.ts";
import { PageHead, type PageProps } from "../../parts/show/page_head.tsx";
import { devices } from "../../state/store.ts";
import { nameOf, rateText } from "../../text/format.ts";
import { type Overview, type Rates, rateSeries } from "../home/rates.ts";
import { DevicePanel } from "./device_panel.tsx";
import type { Narrowing, View } from "./usage.ts";
import { UsagePanel } from "./usage_panel.tsx";

/** Milliseconds between two looks. */
const POLL_INTERVAL_MS = 30_000;
/** Minutes of throughput that are drawn. */
const DRAWN = "60";

const SPANS = [["60", "Hour"], ["1440", "Day"], ["10080", "Week"], ["43200", "30 days"]] as const;

/** What devices exchange with the Internet, down to the names behind it. */
export default function TrafficPage({ title }: PageProps): VNode {
  const pulse = usePulse(POLL_INTERVAL_MS);
  const minutes = useSignal<string>("1440");
  const view = useSignal<View>("devices");
  const within = useSignal<Narrowing | null>(null);
  const device = useSignal("");
  const overview = useLoaded<Overview>(
    { path: "/traffic_insights/overview", query: { minutes: minutes.value } },
    [minutes.value, pulse],
  );
  const names = useMemo(
    () =>
      new Map(
        Object.entries(devices.value ?? {}).map(([id, one]) => [one.RecentIP, nameOf(id, one)]),
      ),
    [devices.value],
  );
  const titleOf = useCallback((address: string) => names.get(address) ?? address, [names]);
  const choose = useCallback((name: string) => {
    if (view.value === "devices") device.value = name;
    else {
      within.value = { view: view.value, name };
      view.value = "devices";
    }
  }, []);
  return (
    <>
      <PageHead
        title={title}
        note="Choose a country, a network or a device to see what is behind it"
      >
        <Seg
          label="Time"
          value={minutes.value}
          options={SPANS}
          onValue={(value) => minutes.value = value}
        />
      </PageHead>
      <Throughput pulse={pulse} address={device.value} title={titleOf(device.value)} />
      <UsagePanel
        overview={overview}
        view={view.value}
        within={within.value}
        titleOf={titleOf}
        onView={(value) => {
          within.value = null;
          view.value = value;
        }}
        onChoice={choose}
      />
      {device.value !== "" && (
        <DevicePanel
          address={device.value}
          title={titleOf(device.value)}
          minutes={minutes.value}
          pulse={pulse}
        />
      )}
    </>
  );
}

/** Throughput of the last hour, of all devices or of the chosen one. */
function Throughput(
  { pulse, address, title }: { pulse: number; address: string; title: string },
): VNode {
  const query = address === "" ? { minutes: DRAWN } : { minutes: DRAWN, address };
  const rates = useLoaded<Rates>({ path: "/traffic_rates", query }, [pulse, address]);
  const drawn = rates.body === null ? null : rateSeries(rates.body);
  const of = address === "" ? "all devices" : title;
  return (
    <section class="panel" aria-labelledby="throughput">
      <header>
        <h2 id="throughput">Throughput</h2>
        <span class="note">{of}, last hour</span>
      </header>
      <div class="pad">
        {rates.problem !== null
          ? <Fault warning title="Traffic is not available.">{rates.problem.message}</Fault>
          : drawn === null || drawn.times.length < 2
          ? <p class="s quiet">Traffic appears here a few minutes after the start.</p>
          : (
            <Chart
              label={`Throughput of ${of} to and from the Internet in the last hour`}
              times={drawn.times}
              series={[
                { word: "Down", values: drawn.down },
                { word: "Up", values: drawn.up, below: true },
              ]}
              format={rateText}
            />
          )}
      </div>
    </section>
  );
}
