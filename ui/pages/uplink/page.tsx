import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { Fault } from "../../parts/form/fault.tsx";
import { Loading } from "../../parts/load/loading.tsx";
import { changeEvents, network } from "../../state/store.ts";
import { PageHead, type PageProps } from "../../parts/show/page_head.tsx";
import { useLoaded } from "../../parts/load/use_loaded.ts";
import { usePulse } from "../../parts/load/use_pulse.ts";
import { Latency } from "./latency.tsx";
import { OrderForm } from "./order_form.tsx";
import { Outages } from "./outages.tsx";
import { Uplinks } from "./uplinks.tsx";
import { WatchForm } from "./monitor_form.tsx";
import { WifiUplinks } from "./wifi_uplinks.tsx";
import { t } from "../../text/language.ts";
import "../../styles/pages/wifi_uplink.css";
import type { Speed, Uplink, Watch } from "./wire.ts";

/** Milliseconds between two loads of what has no events. */
const POLL_INTERVAL_MS = 5000;

/** Status and history of the uplinks. */
export default function InternetPage({ title }: PageProps): VNode {
  const pulse = usePulse(POLL_INTERVAL_MS);
  const when = [changeEvents.value, network.value, pulse];
  const status = useLoaded<readonly Uplink[]>({ path: "/wan/status" }, when);
  const watch = useLoaded<Watch>({ path: "/wan/config" }, [changeEvents.value]);
  const speeds = useLoaded<readonly Speed[]>({ path: "/wan/speedtest" }, [changeEvents.value]);
  const chosen = useSignal<string | null>(null);
  const names = status.body?.map(({ Iface }) => Iface) ?? [];
  const shown = names.find((name) => name === chosen.value) ?? names[0] ?? null;
  return (
    <>
      <PageHead title={title} note={t("WAN status, latency, outages")} />
      <div class="stack">
        {watch.body !== null && names.length > 1 && (
          <OrderForm now={watch.body} etag={watch.etag} uplinks={status.body ?? []} />
        )}
        {status.problem !== null && (
          <Fault warning title={t("WAN status unavailable.")}>{status.problem.message}</Fault>
        )}
        {status.body === null
          ? status.problem === null && <Loading what={t("WAN status")} rows={2} />
          : (
            <Uplinks
              uplinks={status.body}
              speeds={speeds.body ?? []}
              canMeasure={(watch.body?.SpeedTestURL ?? "") !== ""}
              onMeasured={speeds.reload}
            />
          )}
        <WifiUplinks pulse={pulse} />
        {shown !== null && (
          <Latency
            name={shown}
            names={names}
            onName={(name) => chosen.value = name}
            pulse={pulse}
          />
        )}
        <Outages pulse={pulse} />
        {watch.body === null
          ? watch.problem === null
            ? <Loading what={t("the settings")} rows={3} />
            : <Fault title={t("The settings could not be loaded.")}>{watch.problem.message}</Fault>
          : <WatchForm now={watch.body} etag={watch.etag} several={names.length > 1} />}
      </div>
    </>
  );
}
