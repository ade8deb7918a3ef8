import type { VNode } from "preact";
import { Chart } from "../../parts/chart/chart.tsx";
import { Fault } from "../../parts/form/fault.tsx";
import { useLoaded } from "../../parts/load/use_loaded.ts";
import { rateText } from "../../text/format.ts";
import { type Rates, rateSeries } from "../home/rates.ts";
import { t, tc } from "../../text/language.ts";

/** Minutes of throughput that are drawn. */
const DRAWN = "60";

/** Throughput of the last hour, of all devices or of one by its address. */
export function Throughput({ pulse, address, title, onChoose }: {
  pulse: number;
  /** Of a device; empty: all. */
  address: string;
  /** Whose throughput it is. */
  title: string;
  /** Called with a moment that is chosen. */
  onChoose: (time: number) => void;
}): VNode {
  const query = address === "" ? { minutes: DRAWN } : { minutes: DRAWN, address };
  const rates = useLoaded<Rates>({ path: "/traffic_rates", query }, [pulse, address]);
  const drawn = rates.body === null ? null : rateSeries(rates.body);
  return (
    <section class="panel" aria-labelledby="throughput">
      <header>
        <h2 id="throughput">{t("Throughput")}</h2>
        <span class="note">{t("{title}, last hour", { title })}</span>
      </header>
      <div class="pad">
        {rates.problem !== null
          ? <Fault warning title={t("Traffic is not available.")}>{rates.problem.message}</Fault>
          : drawn === null || drawn.times.length < 2
          ? <p class="s quiet">{t("Traffic appears here a few minutes after the start.")}</p>
          : (
            <Chart
              label={t("Throughput of {title} to and from the Internet in the last hour", {
                title,
              })}
              times={drawn.times}
              series={[
                { word: tc("traffic", "Down"), values: drawn.down },
                { word: tc("traffic", "Up"), values: drawn.up, below: true },
              ]}
              format={rateText}
              onChoose={onChoose}
            />
          )}
      </div>
    </section>
  );
}
