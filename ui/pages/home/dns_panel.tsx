import type { VNode } from "preact";
import { Chart } from "../../parts/chart/chart.tsx";
import { Meter } from "../../parts/chart/meter.tsx";
import { Loading } from "../../parts/load/loading.tsx";
import { useLoaded } from "../../parts/load/use_loaded.ts";
import { usePulse } from "../../parts/load/use_pulse.ts";
import { numberText } from "../../text/format.ts";
import { facetCount, queriesOverTime } from "../dns/log/counts.ts";
import type { LogState } from "../dns/wire.ts";
import { t, tn } from "../../text/language.ts";

/** Milliseconds between two looks. */
const POLL_INTERVAL_MS = 30_000;
/** Bars of the chart: one for each hour. */
const PERIODS = "24";

/** How many DNS queries there were in 24 hours, over time, and how many were blocked. */
export function DnsPanel(): VNode {
  const pulse = usePulse(POLL_INTERVAL_MS);
  const { body, problem } = useLoaded<LogState>(
    { path: "/plugins/dns/log/status", query: { periods: PERIODS } },
    [pulse],
  );
  const total = facetCount("all", body?.counts ?? {});
  const blocked = facetCount("blocked", body?.counts ?? {});
  return (
    <section class="panel" aria-labelledby="dns">
      <header>
        <h2 id="dns">{t("DNS")}</h2>
        <a class="s quiet" href="/admin/dns">{t("Query log")}</a>
      </header>
      {body === null
        ? problem === null
          ? <Loading what={t("DNS")} rows={1} />
          : <p class="pad s quiet">{t("The resolver is not running.")}</p>
        : (
          <>
            <ul class="rows">
              <li>
                <div class="grow">
                  <b>{tn("{count} query", "{count} queries", total)}</b>
                  <p>{t("in 24 hours")}</p>
                </div>
                <span class="beside">
                  <a href="/admin/dns?show=blocked">
                    {t("{blocked} blocked ({share})", {
                      blocked: numberText(blocked),
                      share: shareText(blocked, total),
                    })}
                  </a>
                  <Meter
                    value={blocked}
                    of={total}
                    label={t("{share} of all queries", { share: shareText(blocked, total) })}
                  />
                </span>
              </li>
            </ul>
            {total > 0 && (
              <div class="pad queries-chart">
                <Chart
                  stacked
                  label={t("Queries of the last 24 hours, by result")}
                  times={body.series.map(({ time }) => time)}
                  series={queriesOverTime(body)}
                  format={numberText}
                />
              </div>
            )}
          </>
        )}
    </section>
  );
}

function shareText(blocked: number, total: number): string {
  if (total === 0 || blocked === 0) return "0 %";
  const share = blocked / total * 100;
  return share < 1 ? t("under 1 %") : `${Math.round(share)} %`;
}
