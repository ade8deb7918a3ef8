import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { openPreview } from "../../actions/action.ts";
import { put } from "../../api/client.ts";
import { failureText } from "../../api/problem.ts";
import { Fault } from "../../parts/form/fault.tsx";
import { Loading } from "../../parts/load/loading.tsx";
import { useLoaded } from "../../parts/load/use_loaded.ts";
import { Icon } from "../../parts/show/icon.tsx";
import { changeEvents, radioEvents } from "../../state/store.ts";
import { say } from "../../state/toast.ts";
import { clock, day } from "../../text/time.ts";
import { useChannel } from "./actions.ts";
import { AirPicture } from "./air_picture.tsx";
import { radarText } from "./radar_text.ts";
import type { RadioAir } from "./wire.ts";
import { t } from "../../text/language.ts";
import "../../styles/pages/air.css";

/** Who uses which channel around each access point, and which one is best. */
export function AirList(): VNode {
  const air = useLoaded<{ readonly items: readonly RadioAir[] }>(
    { path: "/wifi/air" },
    [changeEvents.value, radioEvents.value],
  );
  if (air.body === null) {
    return air.problem === null
      ? <Loading what={t("the air")} rows={3} />
      : <Fault title={t("The air is not available.")}>{air.problem.message}</Fault>;
  }
  if (air.body.items.length === 0) {
    return (
      <section class="panel empty" aria-label={t("Air")}>
        <Icon name="wifi" />
        <p class="s soft">{t("No access point yet. Turn on a radio first.")}</p>
      </section>
    );
  }
  return (
    <div class="stack">
      {air.body.items.map((one) => <AirPanel key={one.radio} air={one} onDone={air.reload} />)}
    </div>
  );
}

function AirPanel({ air, onDone }: { air: RadioAir; onDone: () => void }): VNode {
  const scanning = useSignal(false);
  const { recommendation } = air;
  const id = `air-${air.radio}`;
  async function scan(): Promise<void> {
    scanning.value = true;
    try {
      await put(`/wifi/air/${encodeURIComponent(air.radio)}/scan`);
      onDone();
    } catch (error) {
      say({
        text: failureText(
          error,
          (text) => t("The scan of {radio} failed. {text}", { radio: air.radio, text }),
        ),
      });
    } finally {
      scanning.value = false;
    }
  }
  return (
    <section class="panel" aria-labelledby={id}>
      <header>
        <h2 id={id}>{air.radio}</h2>
        <span class="note">
          {t("{band} GHz", { band: air.band })}
          {air.channel === 0
            ? ""
            : t(", channel {channel}, {width} MHz", { channel: air.channel, width: air.width })}
        </span>
        <button
          class="btn small"
          type="button"
          disabled={scanning.value}
          onClick={() => void scan()}
        >
          {scanning.value ? t("Scanning") : t("Scan")}
          <span class="vh">{t("with {radio}", { radio: air.radio })}</span>
        </button>
      </header>
      <div class="pad form">
        {air.scannedAt === 0
          ? (
            <p class="soft">
              {t(
                "Scan to see which channels other networks use. Clients may pause for some seconds.",
              )}
            </p>
          )
          : (
            <>
              <AirPicture air={air} />
              {recommendation === null
                ? <p class="soft">{t("No channel can be recommended.")}</p>
                : (
                  <div class="row wrap">
                    <p class="grow">
                      <b>
                        {recommendation.better
                          ? t("Channel {channel} is better.", { channel: recommendation.channel })
                          : t("Channel {channel} is fine.", { channel: recommendation.channel })}
                      </b>{" "}
                      <span class="soft">{recommendation.reason}.</span>
                    </p>
                    {recommendation.better && (
                      <button
                        class="btn"
                        type="button"
                        onClick={() =>
                          openPreview(useChannel(air.radio, recommendation.channel, onDone))}
                      >
                        {t("Use channel {channel}", { channel: recommendation.channel })}
                      </button>
                    )}
                  </div>
                )}
            </>
          )}
        {radarText(air) !== "" && (
          <p class="row">
            <Icon name="alert" small />
            <span>{radarText(air)}</span>
          </p>
        )}
        {air.scannedAt > 0 && (
          <>
            <details>
              <summary>{t("Channels as a table")}</summary>
              <ChannelTable air={air} />
            </details>
            <p class="s quiet">
              {t("Last scan: {day}, {clock}", {
                day: day(air.scannedAt * 1000),
                clock: clock(air.scannedAt * 1000),
              })}
            </p>
          </>
        )}
      </div>
    </section>
  );
}

const DFS: Readonly<Record<RadioAir["channels"][number]["dfs"], string>> = {
  none: "",
  usable: t("after listening"),
  listening: t("listening"),
  available: t("available"),
  unavailable: t("radar detected"),
};

function ChannelTable({ air }: { air: RadioAir }): VNode {
  return (
    <div
      class="scroll"
      role="region"
      tabIndex={0}
      aria-label={t("Channels of {radio}", { radio: air.radio })}
    >
      <table class="plain">
        <thead>
          <tr>
            <th scope="col">{t("Channel")}</th>
            <th scope="col" class="num">{t("Networks")}</th>
            <th scope="col" class="num">{t("Strongest")}</th>
            <th scope="col">{t("Radar")}</th>
          </tr>
        </thead>
        <tbody>
          {air.channels.map((one) => (
            <tr key={one.channel}>
              <th scope="row">
                {one.channel}{" "}
                {one.channel === air.channel && <span class="quiet">{t("in use")}</span>}
              </th>
              <td class="num">{one.networks === 0 ? "–" : one.networks}</td>
              <td class="num">
                {one.strongest === 0 ? "–" : t("{strongest} dBm", { strongest: one.strongest })}
              </td>
              <td>{DFS[one.dfs]}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
