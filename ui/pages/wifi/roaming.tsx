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
      ? <Loading what="client steering" rows={2} />
      : <Fault title="Client steering could not be loaded.">{config.problem.message}</Fault>;
  }
  return (
    <div class="stack">
      <section class="panel" aria-labelledby="steering">
        <header>
          <h2 id="steering">Client steering</h2>
          <button class="btn small" type="button" onClick={() => editing.value = true}>
            Settings
          </button>
        </header>
        {status.problem !== null && (
          <Fault warning title="Its state is not available.">{status.problem.message}</Fault>
        )}
        <ul class="setting-list">
          <li>
            <div>
              <b id="dry-run">Recommend only</b>
              <p>
                {body.DryRun
                  ? "Nothing is sent to clients. The history shows what would be done."
                  : "Clients with a weak signal are offered a better radio of the same network."}
              </p>
            </div>
            <Switch
              label="Recommend only"
              on={body.DryRun}
              onFlip={() =>
                openPreview(setSteering({ ...body, DryRun: !body.DryRun }, config.reload))}
            />
          </li>
          <li>
            <div>
              <b>State</b>
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
  if (status === null) return "Unknown";
  if (!status.RoamingEnabled) {
    return "Waits for two radios with the same network name, both set to offer clients another radio";
  }
  const learned = `${status.ModelArms} ${status.ModelArms === 1 ? "move" : "moves"} learned`;
  const threshold = `looks at clients at or below ${config.RSSIThresholdDBM} dBm`;
  const rate = config.ExplorationRate === 0 && !config.DryRun && status.ModelArms === 0
    ? ". It sends nothing until it has learned: allow it to try, or move clients by hand"
    : "";
  return `On: ${threshold}, ${learned}${rate}`;
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
        <h2 id="steering-history">History</h2>
        {records !== null && <span class="note">{records.length}</span>}
      </header>
      {records === null
        ? problem === null
          ? <Loading what="the history" rows={3} />
          : <p class="pad s quiet">Not available: {problem}</p>
        : records.length === 0
        ? (
          <div class="empty">
            <Icon name="wifi" />
            <p class="s soft">No client has had a weak signal yet.</p>
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
            Show all {records.length}
          </button>
        </footer>
      )}
    </section>
  );
}
