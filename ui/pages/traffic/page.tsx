import type { VNode } from "preact";
import { useCallback, useEffect, useMemo } from "preact/hooks";
import { useSignal } from "@preact/signals";
import { useLocation } from "preact-iso/router";
import { Seg } from "../../parts/form/choice_field.tsx";
import { useLoaded } from "../../parts/load/use_loaded.ts";
import { usePulse } from "../../parts/load/use_pulse.ts";
import { PageHead, type PageProps } from "../../parts/show/page_head.tsx";
import { devices } from "../../state/store.ts";
import { inSentence, nameOf } from "../../text/format.ts";
import type { Overview } from "../home/rates.ts";
import { DevicePanel } from "./device_panel.tsx";
import { OverTime } from "./over_time.tsx";
import { Throughput } from "./throughput.tsx";
import type { Names, Narrowing, View } from "./usage.ts";
import { UsagePanel } from "./usage_panel.tsx";
import { hourOf, type Slot, slotText, windowQuery } from "./window.ts";
import { t } from "../../text/language.ts";

/** Milliseconds between two looks. */
const POLL_INTERVAL_MS = 30_000;

const SPANS = [
  ["60", t("Hour")],
  ["1440", t("Day")],
  ["10080", t("Week")],
  ["43200", t("30 days")],
  ["129600", t("90 days")],
] as const;
/** Minutes up to which the router sums up names. */
const MAX_NAME_MINUTES = 10_080;

/** What devices exchange with the Internet, from a peak on a chart down to the names behind it. */
export default function TrafficPage({ title }: PageProps): VNode {
  const pulse = usePulse(POLL_INTERVAL_MS);
  const { query } = useLocation();
  const minutes = useSignal<string>("1440");
  const slot = useSignal<Slot | null>(null);
  const view = useSignal<View>("devices");
  const within = useSignal<Narrowing | null>(null);
  const device = useSignal("");
  // A chart elsewhere leads to its moment, a device to itself.
  useEffect(() => {
    if (/^\d{1,15}$/.test(query["at"] ?? "")) slot.value = hourOf(Number(query["at"]) - 1);
    if (query["device"]) device.value = query["device"];
  }, [query["at"], query["device"]]);
  const shown = windowQuery(minutes.value, slot.value);
  const when = [JSON.stringify(shown), pulse];
  const overview = useLoaded<Overview>({ path: "/traffic_insights/overview", query: shown }, when);
  const needsNames = view.value === "names" || within.value?.view === "names";
  const areNamesKept = Number(shown["minutes"]) <= MAX_NAME_MINUTES;
  const names = useLoaded<Names>(
    needsNames && areNamesKept ? { path: "/traffic_insights/names", query: shown } : null,
    [...when, needsNames],
  );
  const known = useMemo(
    () =>
      new Map(
        Object.entries(devices.value ?? {}).map(([id, one]) => [one.RecentIP, nameOf(id, one)]),
      ),
    [devices.value],
  );
  const titleOf = useCallback((address: string) => known.get(address) ?? address, [known]);
  const choose = useCallback((key: string, name: string) => {
    if (view.value === "devices") device.value = key;
    else {
      within.value = { view: view.value, key, name };
      view.value = "devices";
    }
  }, []);
  const whose = device.value === ""
    ? within.value?.name ?? t("all devices")
    : titleOf(device.value);
  const span = inSentence(SPANS.find(([value]) => value === minutes.value)![1]);
  return (
    <>
      <PageHead
        title={title}
        note={t(
          "Choose a moment, a device, a name, a country or a network to see what is behind it",
        )}
      >
        <Seg
          label={t("Time")}
          value={minutes.value}
          options={SPANS}
          onValue={(value) => {
            minutes.value = value;
            slot.value = null;
          }}
        />
      </PageHead>
      <div class="stack">
        {minutes.value === "60"
          ? (
            <Throughput
              pulse={pulse}
              address={device.value}
              title={device.value === "" ? t("all devices") : whose}
              onChoose={(time) => slot.value = hourOf(time - 1)}
            />
          )
          : (
            <OverTime
              minutes={minutes.value}
              span={t("last {span}", { span })}
              within={within.value}
              address={device.value}
              title={whose}
              pulse={pulse}
              onChoose={(chosen) => slot.value = chosen}
            />
          )}
        <UsagePanel
          sources={{ overview, names: areNamesKept ? names : null }}
          view={view.value}
          within={within.value}
          time={slot.value === null ? "" : slotText(slot.value)}
          titleOf={titleOf}
          onView={(value) => {
            within.value = null;
            view.value = value;
          }}
          onWholeTime={() => slot.value = null}
          onChoice={choose}
        />
        {device.value !== "" && (
          <DevicePanel
            address={device.value}
            title={titleOf(device.value)}
            time={shown}
            pulse={pulse}
          />
        )}
      </div>
    </>
  );
}
