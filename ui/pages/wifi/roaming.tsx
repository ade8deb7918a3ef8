import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { openPreview } from "../../actions/action.ts";
import { Fault } from "../../parts/form/fault.tsx";
import { Switch } from "../../parts/form/switch.tsx";
import { Loading } from "../../parts/load/loading.tsx";
import { useLoaded } from "../../parts/load/use_loaded.ts";
import { usePulse } from "../../parts/load/use_pulse.ts";
import { Icon } from "../../parts/show/icon.tsx";
import { Name } from "../../parts/show/name.tsx";
import { changeEvents, devices } from "../../state/store.ts";
import { clock, day } from "../../text/time.ts";
import { nameOf } from "../../text/format.ts";
import { deviceHref } from "../devices/last_seen.ts";
import { setSteering } from "./actions.ts";
import { MoveClient } from "./move_client.tsx";
import { RoamingDrawer } from "./roaming_drawer.tsx";
import { markOf, outcomeText, reasonText } from "./roaming_text.ts";
import type { RoamingConfig, RoamingRecord, RoamingStatus } from "./wire.ts";
import { t, tn } from "../../text/language.ts";

/** Milliseconds between two loads of what has no events. */
const POLL_INTERVAL_MS = 10_000;
/** Entries that are shown at first. */
const FIRST = 20;

/** Client steering: what it does or would do and why, and whether it only recommends. */
export function RoamingPanel(): VNode {
  const pulse = usePulse(POLL_INTERVAL_MS);
  const when = [changeEvents.value, pulse];
  const config = useLoaded<RoamingConfig>({ path: "/hostapd/roaming/config" }, [
    changeEvents.value,
  ]);
  const status = useLoaded<RoamingStatus>({ path: "/hostapd/roaming/status" }, when);
  const history = useLoaded<readonly RoamingRecord[]>({ path: "/hostapd/roaming/history" }, when);
  const editing = useSignal(false);
  const { body } = config;
  if (body === null) {
    return config.problem === null
      ? <Loading what={t("client steering")} rows={2} />
      : <Fault title={t("Client steering could not be loaded.")}>{config.problem.message}</Fault>;
  }
  return (
    <div class="stack">
      <section class="panel" aria-labelledby="steering">
        <header>
          <h2 id="steering">{t("Client steering")}</h2>
          <button class="btn small" type="button" onClick={() => editing.value = true}>
            {t("Settings")}
          </button>
        </header>
        {status.problem !== null && (
          <Fault warning title={t("Its state is not available.")}>{status.problem.message}</Fault>
        )}
        <ul class="setting-list">
          <li>
            <div>
              <b id="dry-run">{t("Recommend only")}</b>
              <p>
                {body.DryRun
                  ? t("Nothing is sent to clients. The history shows what would be done.")
                  : t("Clients with a weak signal are offered a better radio of the same network.")}
              </p>
            </div>
            <Switch
              label={t("Recommend only")}
              on={body.DryRun}
              onFlip={() =>
                openPreview(setSteering({ ...body, DryRun: !body.DryRun }, config.reload))}
            />
          </li>
          <li>
            <div>
              <b>{t("State")}</b>
              <p>{stateText(body, status.body)}</p>
            </div>
          </li>
        </ul>
      </section>
      <MoveClient pulse={pulse} onDone={history.reload} />
      <Past
        records={history.body}
        problem={history.problem?.message ?? null}
        threshold={body.RSSIThresholdDBM}
      />
      {editing.value && (
        <RoamingDrawer
          config={body}
          onClose={() => editing.value = false}
          onDone={config.reload}
        />
      )}
    </div>
  );
}

function stateText(config: RoamingConfig, status: RoamingStatus | null): string {
  if (status === null) return t("Unknown");
  if (!status.RoamingEnabled) {
    return t(
      "Waits for two radios with the same network name, both set to offer clients another radio",
    );
  }
  const learned = tn("{count} move learned", "{count} moves learned", status.ModelArms);
  const threshold = t("looks at clients at or below {rssiThresholdDBM} dBm", {
    rssiThresholdDBM: config.RSSIThresholdDBM,
  });
  const rate = config.ExplorationRate === 0 && !config.DryRun && status.ModelArms === 0
    ? t(". It sends nothing until it has learned: allow it to try, or move clients by hand")
    : "";
  return t("On: {threshold}, {learned}{rate}", { threshold, learned, rate });
}

function Past(
  { records, problem, threshold }: {
    records: readonly RoamingRecord[] | null;
    problem: string | null;
    threshold: number;
  },
): VNode {
  const all = useSignal(false);
  const shown = all.value ? records ?? [] : (records ?? []).slice(0, FIRST);
  return (
    <section class="panel" aria-labelledby="steering-history">
      <header>
        <h2 id="steering-history">{t("History")}</h2>
        {records !== null && <span class="note">{records.length}</span>}
      </header>
      {records === null
        ? problem === null
          ? <Loading what={t("the history")} rows={3} />
          : <p class="pad s quiet">{t("Not available: {problem}", { problem })}</p>
        : records.length === 0
        ? (
          <div class="empty">
            <Icon name="wifi" />
            <p class="s soft">{t("No client has had a weak signal yet.")}</p>
          </div>
        )
        : (
          <ul class="rows">
            {shown.map((one) => (
              <li key={one.ID}>
                <span class={markOf(one)} aria-hidden="true" />
                <div class="grow">
                  <a href={deviceHref(one.MAC)}>
                    <Name>{nameOf(one.MAC, devices.value?.[one.MAC])}</Name>
                  </a>{" "}
                  <span class="quiet">
                    {one.SourceInterface} → {one.TargetInterface}
                  </span>
                  <p>{reasonText(one, threshold)}</p>
                  <p class="quiet">{outcomeText(one)}</p>
                </div>
                <span class="s quiet">
                  {day(Date.parse(one.RequestedAt))}, {clock(Date.parse(one.RequestedAt))}
                </span>
              </li>
            ))}
          </ul>
        )}
      {records !== null && records.length > shown.length && (
        <footer>
          <button class="btn small" type="button" onClick={() => all.value = true}>
            {t("Show all {records}", { records: records.length })}
          </button>
        </footer>
      )}
    </section>
  );
}
