import type { VNode } from "preact";
import type { components } from "../../generated/api.ts";
import { Meter } from "../../parts/chart/meter.tsx";
import { Loading } from "../../parts/load/loading.tsx";
import { useLoaded } from "../../parts/load/use_loaded.ts";
import { usePulse } from "../../parts/load/use_pulse.ts";
import { sizeText } from "../../text/format.ts";
import { lengthText } from "../../text/time.ts";
import { t } from "../../text/language.ts";

type Resources = components["schemas"]["Resources"];

/** What the page needs of `GET /info/uptime`. */
interface Uptime {
  readonly uptime_total_seconds: number;
}

/** Milliseconds between two looks. */
const POLL_INTERVAL_MS = 30_000;

/** Processor, memory and disk of the router, and how long it has been running. */
export function SystemPanel(): VNode {
  const pulse = usePulse(POLL_INTERVAL_MS);
  const { body, problem } = useLoaded<Resources>({ path: "/info/resources" }, [pulse]);
  const uptime = useLoaded<Uptime>({ path: "/info/uptime" }, [Math.floor(pulse / 4)]);
  return (
    <section class="panel" aria-labelledby="system">
      <header>
        <h2 id="system">{t("This router")}</h2>
        <a class="s quiet" href="/admin/machine">{t("System")}</a>
      </header>
      {body === null
        ? problem === null
          ? <Loading what={t("the system")} rows={3} />
          : <p class="pad s quiet">{t("Its state could not be loaded.")}</p>
        : (
          <ul class="rows dense">
            <Line name="CPU" used={body.Load} of={body.Cores} text={cpuText(body)} />
            <Line
              name="Memory"
              used={body.MemoryTotal - body.MemoryFree}
              of={body.MemoryTotal}
              text={t("{memoryFree} free of {memoryTotal}", {
                memoryFree: sizeText(body.MemoryFree),
                memoryTotal: sizeText(body.MemoryTotal),
              })}
            />
            <Line
              name="Disk"
              used={body.DiskTotal - body.DiskFree}
              of={body.DiskTotal}
              text={t("{diskFree} free of {diskTotal}", {
                diskFree: sizeText(body.DiskFree),
                diskTotal: sizeText(body.DiskTotal),
              })}
            />
            {uptime.body !== null && (
              <li>
                <div class="grow">{t("Uptime")}</div>
                <span class="beside">{lengthText(uptime.body.uptime_total_seconds)}</span>
              </li>
            )}
          </ul>
        )}
    </section>
  );
}

function cpuText({ Load, Cores }: Resources): string {
  return Cores === 1
    ? t("{load} % of {cores} core", { load: Math.round(Load / Cores * 100), cores: Cores })
    : t("{load} % of {cores} cores", { load: Math.round(Load / Cores * 100), cores: Cores });
}

function Line(
  { name, used, of, text }: { name: string; used: number; of: number; text: string },
): VNode {
  return (
    <li>
      <div class="grow">{name}</div>
      <span class="beside">
        <span>{text}</span>
        <Meter value={Math.min(used, of)} of={of} label={`${name}: ${text}`} />
      </span>
    </li>
  );
}
