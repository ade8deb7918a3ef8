import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { Chart } from "../../parts/chart/chart.tsx";
import { Seg, SelectField } from "../../parts/form/choice_field.tsx";
import { Fault } from "../../parts/form/fault.tsx";
import { Loading } from "../../parts/load/loading.tsx";
import { useLoaded } from "../../parts/load/use_loaded.ts";
import type { Sample } from "./wire.ts";
import { milliseconds } from "./text.ts";
import { t } from "../../text/language.ts";
import "../../styles/pages/uplink.css";

const SPANS: readonly (readonly [string, string])[] = [
  ["minutes 60", t("Hour")],
  ["minutes 1440", t("Day")],
  ["hours 720", t("30 days")],
];

/** Latency over time. */
export function Latency(
  { name, names, onName, pulse }: {
    name: string;
    names: readonly string[];
    onName: (name: string) => void;
    pulse: number;
  },
): VNode {
  const span = useSignal(SPANS[0]![0]);
  const [scale = "minutes", count = "60"] = span.value.split(" ");
  const history = useLoaded<readonly Sample[]>({
    path: `/wan/history/${encodeURIComponent(name)}`,
    query: { scale, count },
  }, [name, span.value, Math.floor(pulse / 6)]);
  const samples = history.body?.toReversed() ?? [];
  return (
    <section class="panel" aria-labelledby="latency">
      <header>
        <h2 id="latency">{t("Latency")}</h2>
        <Seg
          label={t("Time")}
          value={span.value}
          options={SPANS}
          onValue={(value) => span.value = value}
        />
      </header>
      <div class="pad stack">
        {names.length > 1 && (
          <div class="two">
            <SelectField
              label={t("WAN")}
              value={name}
              options={names.map((one) => [one, one])}
              onValue={onName}
            />
          </div>
        )}
        {history.problem !== null
          ? (
            <Fault warning title={t("Latency history unavailable.")}>
              {history.problem.message}
            </Fault>
          )
          : history.body === null
          ? <Loading what={t("latency")} rows={2} />
          : (
            <Chart
              label={t("Latency of {name}", { name })}
              times={samples.map(({ Time }) => Time * 1000)}
              series={[{
                word: t("Latency"),
                values: samples.map(({ LatencyMs, LossPct, Up }) =>
                  Up && LossPct < 100 && LatencyMs > 0 ? LatencyMs : null
                ),
              }]}
              format={milliseconds}
            />
          )}
      </div>
    </section>
  );
}
