import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { call } from "../../../api/client.ts";
import { ApiProblem, failureText } from "../../../api/problem.ts";
import { useLoaded } from "../../../parts/load/use_loaded.ts";
import { usePulse } from "../../../parts/load/use_pulse.ts";
import { Name } from "../../../parts/show/name.tsx";
import { radioEvents } from "../../../state/store.ts";
import { say } from "../../../state/toast.ts";
import { lengthText } from "../../../text/time.ts";
import type { Device } from "../../../wire.ts";
import { bandText, rateText, retryText, signalGrade } from "../../wifi/client_text.ts";
import type { WifiClient } from "../../wifi/wire.ts";
import { isPending } from "../add/join_outcome.ts";
import { useNetwork, WifiCode } from "../wifi_code.tsx";
import { t } from "../../../text/language.ts";

/** Milliseconds between two looks at the client. */
const LOAD_INTERVAL_MS = 5000;

/** How the device is connected by Wi-Fi now, and its password for people who have a code. */
export function WifiPanel(
  { identity, device }: { identity: string; device: Device },
): VNode | null {
  const pulse = usePulse(LOAD_INTERVAL_MS);
  const { body, problem } = useLoaded<{ readonly items: readonly WifiClient[] }>(
    device.MAC === "" || isPending(identity)
      ? null
      : { path: "/wifi/clients", query: { mac: device.MAC } },
    [device.MAC, device.Online, pulse, radioEvents.value],
  );
  const client = problem === null ? body?.items[0] : undefined;
  const hasPassword = device.PSKEntry.Type !== "";
  if (client === undefined && !hasPassword) return null;
  return (
    <section class="panel" aria-labelledby="wifi">
      <header>
        <h2 id="wifi">{t("Wi-Fi")}</h2>
        <span class="s soft">{client === undefined ? t("Not connected") : t("Connected")}</span>
      </header>
      {client !== undefined && <Connection client={client} />}
      {hasPassword && <Password identity={identity} />}
    </section>
  );
}

function Connection({ client }: { client: WifiClient }): VNode {
  const { network, ssid, band, signal, security, seconds, failed } = client;
  const rates = rateText(client), retries = retryText(client);
  return (
    <dl class="kv pad">
      <dt>{t("Network")}</dt>
      <dd>
        <Name>{ssid}</Name>, {security}
      </dd>
      <dt>{t("Radio")}</dt>
      <dd>{[network, bandText(band)].filter(Boolean).join(", ")}</dd>
      {signal !== 0 && (
        <>
          <dt>{t("Signal")}</dt>
          <dd>{t("{signal} dBm, {signalGrade}", { signal, signalGrade: signalGrade(signal) })}</dd>
        </>
      )}
      {rates !== "" && (
        <>
          <dt>{t("Rate down / up")}</dt>
          <dd>{rates}</dd>
        </>
      )}
      {retries !== "" && (
        <>
          <dt>{t("Retries")}</dt>
          <dd>{retries}{failed ? t(", {failed} frames lost", { failed }) : ""}</dd>
        </>
      )}
      <dt>{t("Connected")}</dt>
      <dd>{t("for {length}", { length: lengthText(seconds) })}</dd>
    </dl>
  );
}

function Password({ identity }: { identity: string }): VNode {
  const password = useSignal<string | null>(null);
  const network = useNetwork();

  async function show(): Promise<void> {
    try {
      const { body } = await call<Device>({ path: "/device", query: { identity } });
      password.value = body.PSKEntry.Psk;
    } catch (error) {
      const needsCode = error instanceof ApiProblem && error.needsOtp;
      say({
        text: needsCode
          ? t("Showing it requires a code.")
          : failureText(error, (text) => t("The password could not be shown. {text}", { text })),
      });
    }
  }

  return (
    <div class="pad form">
      {password.value === null
        ? (
          <div class="row">
            <button class="btn small" type="button" onClick={() => void show()}>
              {t("Show password and QR code")}
            </button>
          </div>
        )
        : (
          <>
            <WifiCode
              password={password.value}
              network={network}
              help={t("No other device can use it.")}
            />
            <div class="row">
              <button class="btn small" type="button" onClick={() => password.value = null}>
                {t("Hide")}
              </button>
            </div>
          </>
        )}
    </div>
  );
}
