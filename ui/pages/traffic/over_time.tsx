import type { VNode } from "preact";
import type { components } from "../../generated/api.ts";
import { Chart } from "../../parts/chart/chart.tsx";
import { Fault } from "../../parts/form/fault.tsx";
import { Loading } from "../../parts/load/loading.tsx";
import { useLoaded } from "../../parts/load/use_loaded.ts";
import { sizeText } from "../../text/format.ts";
import type { Narrowing } from "./usage.ts";
import type { Slot } from "./window.ts";
import { t, tc } from "../../text/language.ts";

type History = components["schemas"]["TrafficInsightsHistory"];

/** Bytes hour by hour or day by day, of all, or of the country, network or device that was chosen. */
export function OverTime({ minutes, span, within, address, title, pulse, onChoose }: {
  minutes: string;
  /** The time that is drawn, for people. */
  span: string;
  within: Narrowing | null;
  /** Of a device; empty: all. */
  address: string;
  /** Whose traffic it is. */
  title: string;
  pulse: number;
  onChoose: (slot: Slot) => void;
}): VNode {
  const query = {
    minutes,
    ...(within?.view === "countries" ? { country: within.key } : {}),
    ...(within?.view === "networks" ? { asn: within.key } : {}),
    ...(address === "" ? {} : { device: address }),
  };
  const history = useLoaded<History>(
    { path: "/traffic_insights/history", query },
    [JSON.stringify(query), pulse],
  );
  const { body, problem } = history;
  const step = (body?.Seconds ?? 0) * 1000;
  return (
    <section class="panel" aria-labelledby="over-time">
      <header>
        <h2 id="over-time">{step > 3_600_000 ? t("Day by day") : t("Hour by hour")}</h2>
        <span class="note">{title}, {span}</span>
      </header>
      <div class="pad">
        {body === null
          ? problem === null
            ? <Loading what={t("the history")} rows={3} />
            : <Fault warning title={t("The history is not available.")}>{problem.message}</Fault>
          : (
            <Chart
              label={t("Traffic of {title} with the Internet, {span}", { title, span })}
              times={body.Points.map(({ Start }) => Date.parse(Start))}
              series={[
                { word: tc("traffic", "Down"), values: body.Points.map(({ BytesIn }) => BytesIn) },
                {
                  word: tc("traffic", "Up"),
                  values: body.Points.map(({ BytesOut }) => BytesOut),
                  below: true,
                },
              ]}
              format={sizeText}
              onChoose={(from) => onChoose({ from, to: from + step })}
            />
          )}
      </div>
    </section>
  );
}
