import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { put } from "../../api/client.ts";
import { Name } from "../../parts/show/name.tsx";
import { failureText } from "../../api/problem.ts";
import { clock, day, lengthText } from "../../text/time.ts";
import { say } from "../../state/toast.ts";
import type { Speed, Uplink } from "./wire.ts";
import { milliseconds, stateOf } from "./text.ts";
import { t } from "../../text/language.ts";
import { rich } from "../../text/translate.ts";

/** Each uplink with its status and last speed test. */
export function Uplinks(
  { uplinks, speeds, canMeasure, onMeasured }: {
    uplinks: readonly Uplink[];
    speeds: readonly Speed[];
    /** Whether it is known what to load. */
    canMeasure: boolean;
    onMeasured: () => void;
  },
): VNode {
  const measuring = useSignal<string | null>(null);
  async function measure(name: string): Promise<void> {
    measuring.value = name;
    try {
      await put(`/wan/speedtest/${encodeURIComponent(name)}`);
      onMeasured();
    } catch (error) {
      say({
        text: failureText(
          error,
          (text) => t("The speed of {name} was not measured. {text}", { name, text }),
        ),
      });
    } finally {
      measuring.value = null;
    }
  }
  return (
    <section class="panel" aria-labelledby="uplinks">
      <header>
        <h2 id="uplinks">{t("WAN status")}</h2>
        {!canMeasure && uplinks.length > 0 && (
          <span class="note">{t("set a speed test URL below to measure speed")}</span>
        )}
      </header>
      {uplinks.length === 0
        ? (
          <p class="pad s quiet">
            {rich(t("No WAN interface yet. Select one under {link}."), {
              link: <a href="/admin/network">{t("Interfaces")}</a>,
            })}
          </p>
        )
        : (
          <ul class="rows">
            {uplinks.map((one) => (
              <li key={one.Iface}>
                <span class={stateOf(one)[0]} aria-hidden="true" />
                <div class="grow">
                  <b>
                    <Name>{one.Iface}</Name>
                  </b>{" "}
                  <span class="quiet">{stateOf(one)[1]}</span>
                  <p>{factsOf(one)}</p>
                  {uplinks.length > 1 && one.SharePct > 0 && (
                    <p class="quiet">
                      {t("{sharePct} % of new connections", { sharePct: one.SharePct })}
                    </p>
                  )}
                  <SpeedText speed={speeds.find(({ Iface }) => Iface === one.Iface)} />
                </div>
                {canMeasure && (
                  <button
                    class="btn small"
                    type="button"
                    disabled={!one.Up || measuring.value !== null}
                    onClick={() => void measure(one.Iface)}
                  >
                    {measuring.value === one.Iface ? t("Measuring") : t("Measure speed")}
                    <span class="vh">{t("of {iface}", { iface: one.Iface })}</span>
                  </button>
                )}
              </li>
            ))}
          </ul>
        )}
    </section>
  );
}

function factsOf(one: Uplink): string {
  return [
    one.IP === "" ? t("No IP address") : one.IP,
    one.Gateway === "" ? "" : t("gateway {gateway}", { gateway: one.Gateway }),
    one.Up && one.LatencyMs > 0
      ? t("latency {milliseconds}", { milliseconds: milliseconds(one.LatencyMs) })
      : "",
    one.LossPct > 0 ? t("{lossPct} % loss", { lossPct: Math.round(one.LossPct) }) : "",
    one.Downtime24h > 0 ? t("{length} down in 24 h", { length: lengthText(one.Downtime24h) }) : "",
  ].filter((text) => text !== "").join(", ");
}

function SpeedText({ speed }: { speed: Speed | undefined }): VNode | null {
  if (speed === undefined) return null;
  const at = speed.Time * 1000;
  return (
    <p class={speed.Error === undefined ? "quiet" : "danger-t"}>
      {speed.Error === undefined
        ? t("{downMbps} Mbit/s down", { downMbps: speed.DownMbps })
        : <Name>{t("The last test failed: {error}", { error: speed.Error })}</Name>}
      , {day(at)}, {clock(at)}
    </p>
  );
}
