import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { Chart } from "../../parts/chart/chart.tsx";
import { CodeView } from "../../parts/show/code_view.tsx";
import { Diff } from "../../parts/preview/diff.tsx";
import { Meter } from "../../parts/chart/meter.tsx";
import { Qr } from "../../parts/show/qr.tsx";
import { Sparkline } from "../../parts/chart/sparkline.tsx";
import { Tabs } from "../../parts/show/tabs.tsx";
import { Panel } from "./panel.tsx";
import { PATCH, RATES, RULESET, SYSTEM, TIMES } from "./samples.ts";

/** A number beside its share or its past, and charts. */
export function Numbers(): VNode {
  const rate = (value: number): string => `${Math.round(value)} Mb/s`;
  return (
    <Panel title="Numbers">
      <span class="beside">
        3 of 5 online <Meter value={3} of={5} label="3 of 5 devices online" />
      </span>
      <span class="beside">
        12 Mb/s <Sparkline values={RATES} label="The last day; most at 20:00" />
      </span>
      <Chart
        label="Throughput of a day, down and up"
        times={TIMES}
        format={rate}
        series={[
          { word: "Down", values: RATES.map((value) => value * 4) },
          { word: "Up", values: RATES, below: true },
        ]}
      />
      <Chart
        label="Answer time of the uplink, with an hour without a check"
        times={TIMES}
        format={(value) => `${value} ms`}
        series={[{
          word: "Answer time",
          values: RATES.map((value, at) => at > 8 && at < 12 ? null : value / 10 + 8),
        }]}
      />
      <Chart label="Nothing yet" times={[]} format={rate} series={[]} />
    </Panel>
  );
}

/** One of several views of a subject. */
export function Views(): VNode {
  const chosen = useSignal("access");
  return (
    <Panel title="Tabs">
      <Tabs
        label="Views of a device"
        tabs={[["access", "Access"], ["traffic", "Traffic"], ["history", "History"]]}
        chosen={chosen.value}
        onChoose={(name) => chosen.value = name}
      >
        <p class="s">What belongs to {chosen.value}.</p>
      </Tabs>
    </Panel>
  );
}

/** What is read line by line, and what a camera reads. */
export function Texts(): VNode {
  return (
    <>
      <Panel title="Lines before and after">
        <Diff patch={PATCH} system={SYSTEM} />
      </Panel>
      <Panel title="A text of a machine">
        <CodeView title="What the kernel holds" text={RULESET} />
      </Panel>
      <Panel title="QR">
        <Qr text="WIFI:T:WPA;S:Harbour;P:slate-otter-94;;" label="QR code of a sample" />
      </Panel>
    </>
  );
}
