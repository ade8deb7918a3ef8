import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { openPreview } from "../../actions/action.ts";
import { useLoaded } from "../../parts/load/use_loaded.ts";
import { Icon } from "../../parts/show/icon.tsx";
import { Name } from "../../parts/show/name.tsx";
import { changeEvents } from "../../state/store.ts";
import { JoinDrawer, Signal } from "./join_drawer.tsx";
import { forgetNetwork } from "./wifi_actions.ts";
import type { Radio, WifiInterface, WifiState } from "./wire.ts";
import { t } from "../../text/language.ts";
import { rich } from "../../text/translate.ts";

/** Uplinks by Wi-Fi and their networks; nothing where the router has no radio. */
export function WifiUplinks({ pulse }: { pulse: number }): VNode | null {
  const when = [changeEvents.value];
  const file = useLoaded<{ readonly WPAs: readonly WifiInterface[] }>(
    { path: "/uplink/wifi" },
    when,
  );
  const states = useLoaded<readonly WifiState[]>({ path: "/uplink/wifi/status" }, [...when, pulse]);
  const radios = useLoaded<{ readonly items: readonly Radio[] }>({ path: "/wifi/radios" }, when);
  const isJoining = useSignal(false);
  const entries = file.body?.WPAs ?? [];
  const free = (radios.body?.items ?? []).filter(({ type, enabled }) =>
    !enabled || type === "Uplink"
  ).map(({ name }) => name);
  if (entries.length === 0 && free.length === 0) return null;
  return (
    <section class="panel" aria-labelledby="wifi-uplinks">
      <header>
        <h2 id="wifi-uplinks">{t("Wi-Fi as uplink")}</h2>
        {free.length > 0 && (
          <button
            class="btn small"
            type="button"
            onClick={() => isJoining.value = true}
          >
            <Icon name="plus" small /> {t("Join network")}
          </button>
        )}
      </header>
      {entries.length === 0
        ? <p class="pad s quiet">{t("A free radio can join another Wi-Fi network as WAN.")}</p>
        : (
          <ul class="rows">
            {entries.map((one) => (
              <UplinkRow
                key={one.Iface}
                entry={one}
                state={states.body?.find(({ Iface }) => Iface === one.Iface) ?? null}
                onDone={file.reload}
              />
            ))}
          </ul>
        )}
      {isJoining.value && (
        <JoinDrawer
          radios={free}
          entries={entries}
          onClose={() => isJoining.value = false}
          onDone={file.reload}
        />
      )}
    </section>
  );
}

function UplinkRow(
  { entry, state, onDone }: { entry: WifiInterface; state: WifiState | null; onDone: () => void },
): VNode {
  const isOn = state?.State === "connected";
  const mark = state === null ? "dot off" : isOn && state.Portal === "" ? "dot" : "dot warning";
  return (
    <li>
      <span class={mark} aria-hidden="true" />
      <div class="grow">
        <b>
          <Name>{entry.Iface}</Name>
        </b>{" "}
        {state === null ? <span class="quiet">{t("Off")}</span> : isOn
          ? (
            <>
              <span class="quiet">
                {rich(t("connected to {ssid}"), { ssid: <Name>{state.SSID}</Name> })}
              </span>{" "}
              <Signal level={state.Signal} />
            </>
          )
          : <span class="quiet">{STATES[state.State]}</span>}
        {state !== null && state.Problem !== "" && (
          <p class="danger-t">
            <Name>{state.Problem}</Name>
          </p>
        )}
        {state !== null && state.Portal !== "" && (
          <p>
            {t("This network asks for a sign-in. Open on any device:")}{" "}
            <Name class="mono">{state.Portal}</Name>
          </p>
        )}
        <ul class="joined">
          {entry.Networks.map((network) => {
            const name = network.SSID || `0x${network.SSIDHex ?? ""}`;
            return (
              <li key={`${name}${network.BSSID ?? ""}`}>
                <Name>{name}</Name>
                <button
                  class="icon-btn small"
                  type="button"
                  aria-label={t("Forget {name}", { name })}
                  onClick={() => openPreview(forgetNetwork(entry, network, onDone))}
                >
                  <Icon name="x" small />
                </button>
              </li>
            );
          })}
        </ul>
      </div>
    </li>
  );
}

const STATES: Readonly<Record<WifiState["State"], string>> = {
  connected: t("connected"),
  connecting: t("connecting"),
  searching: t("searching for its networks"),
  missing: t("the radio is not there"),
  failed: t("could not be started"),
  stopped: t("off"),
  unknown: t("state unknown"),
};
