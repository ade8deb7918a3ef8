import type { VNode } from "preact";
import type { components } from "../../generated/api.ts";
import { Meter } from "../../parts/chart/meter.tsx";
import { Loading } from "../../parts/load/loading.tsx";
import { useLoaded } from "../../parts/load/use_loaded.ts";
import { usePulse } from "../../parts/load/use_pulse.ts";
import { numberText } from "../../text/format.ts";

type BlockMetrics = components["schemas"]["BlockMetrics"];

/** Milliseconds between two looks. */
const POLL_INTERVAL_MS = 10_000;

/** How many DNS queries there were, and how many were blocked. */
export function DnsPanel(): VNode {
  const pulse = usePulse(POLL_INTERVAL_MS);
  const metrics = useLoaded<BlockMetrics>({ path: "/plugins/dns/block/metrics" }, [pulse]);
  const { body, problem } = metrics;
  return (
    <section class="panel" aria-labelledby="dns">
      <header>
        <h2 id="dns">DNS</h2>
        <a class="s quiet" href="/admin/dns">Query log</a>
      </header>
      {body === null
        ? problem === null
          ? <Loading what="DNS" rows={1} />
          : <p class="pad s quiet">The resolver is not running.</p>
        : (
          <ul class="rows">
            <li>
              <div class="grow">
                <b>{numberText(body.TotalQueries)} queries</b>
                <p>since the resolver started</p>
              </div>
              <span class="beside">
                <a href="/admin/dns?show=blocked">
                  {numberText(body.BlockedQueries)} blocked ({shareText(body)})
                </a>
                <Meter
                  value={body.BlockedQueries}
                  of={body.TotalQueries}
                  label={`${shareText(body)} of all queries`}
                />
              </span>
            </li>
          </ul>
        )}
    </section>
  );
}

function shareText({ TotalQueries, BlockedQueries }: BlockMetrics): string {
  if (TotalQueries === 0 || BlockedQueries === 0) return "0 %";
  const share = BlockedQueries / TotalQueries * 100;
  return share < 1 ? "under 1 %" : `${Math.round(share)} %`;
}
