import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { applyOrPreview } from "../../../actions/action.ts";
import { Copy } from "../../../parts/show/copy.tsx";
import { SelectField } from "../../../parts/form/choice_field.tsx";
import { Field } from "../../../parts/form/field.tsx";
import { Icon } from "../../../parts/show/icon.tsx";
import { Name } from "../../../parts/show/name.tsx";
import { Qr } from "../../../parts/show/qr.tsx";
import { wordsOf } from "../../../api/problem.ts";
import { useLoaded } from "../../../parts/load/use_loaded.ts";
import { devices, radioEvents } from "../../../state/store.ts";
import { say } from "../../../state/toast.ts";
import { nameOf } from "../../../text/words.ts";
import { deviceHref } from "../last_seen.ts";
import { renewPassword } from "./actions.ts";
import { joinOutcome, type PendingPassword } from "./join_outcome.ts";
import type { WifiNetwork } from "../../wifi/wire.ts";
import { wifiText } from "./wifi_qr.ts";

const NETWORK_KEY = "sluice.wifi.name";

/** The password, its QR code, and what becomes of it; moves on by itself when a device joins. */
export function JoinPanel(
  { waiting, onWaiting }: {
    waiting: PendingPassword;
    onWaiting: (next: PendingPassword | null) => void;
  },
): VNode {
  const network = useSignal(localStorage.getItem(NETWORK_KEY) ?? "");
  const networks = useLoaded<{ readonly items: readonly WifiNetwork[] }>(
    { path: "/wifi/networks" },
    [radioEvents.value],
  );
  const own = (networks.body?.items ?? [])
    .filter(({ enabled, password }) => enabled && password === "device");
  const chosen = own.find(({ ssid }) => ssid === network.value) ?? own[0];
  const ssid = chosen?.ssid ?? network.value;
  const choose = (value: string) => {
    network.value = value;
    localStorage.setItem(NETWORK_KEY, value);
  };
  const isInLine = waiting.type === "sae" && chosen !== undefined && chosen.waiting !== "" &&
    chosen.waiting !== waiting.identity;
  const now = joinOutcome(waiting, devices.value ?? {});
  const name = waiting.name || "The new device";

  async function renew(): Promise<void> {
    try {
      await applyOrPreview(
        renewPassword(
          waiting.identity,
          name,
          waiting.type,
          ({ body }) => onWaiting({ ...waiting, password: body.PSKEntry.Psk }),
        ),
      );
    } catch (error) {
      say({ text: `The password was not changed. ${wordsOf(error)}` });
    }
  }

  return (
    <section class="panel" aria-labelledby="join">
      <header>
        <h2 id="join">
          Join with <Name>{waiting.name || "this device"}</Name>
        </h2>
      </header>
      {now.state === "waits"
        ? (
          <div class="pad form">
            {chosen === undefined
              ? (
                <Field
                  label="Network name"
                  help="SSID, saved in this browser"
                  autocomplete="off"
                  maxLength={32}
                  value={network.value}
                  onValue={choose}
                />
              )
              : (
                <SelectField
                  label="Network name"
                  value={chosen.ssid}
                  options={[...new Set(own.map((one) => one.ssid))].map((one) =>
                    [one, one] as const
                  )}
                  onValue={choose}
                />
              )}
            {isInLine && (
              <p class="s soft">
                Waits in line: by WPA3 one new device can join at a time, and another one has not
                joined yet. It can join by WPA2 at once if you choose WPA2 for it.
              </p>
            )}
            {ssid !== "" && (
              <Qr
                text={wifiText(ssid, waiting.password)}
                label="QR code to join; the password is below"
              />
            )}
            <div class="field">
              <span class="label" id="own-password">Device password</span>
              <div class="row">
                <p class="secret grow" aria-labelledby="own-password" role="group">
                  {waiting.password}
                </p>
                <Copy text={waiting.password} what="the password" />
                <button
                  class="icon-btn"
                  type="button"
                  aria-label="Generate new password"
                  title="Generate new password"
                  onClick={() => void renew()}
                >
                  <Icon name="undo" />
                </button>
              </div>
              <span class="help">
                No other device can use it. Showing it again requires a code.
              </span>
            </div>
          </div>
        )
        : now.state === "joined"
        ? (
          <div class="pad form">
            <p>
              <b>Connected.</b> <Name>{nameOf(now.identity, devices.value?.[now.identity])}</Name>
              {" "}
              has the access you selected.
            </p>
            <div class="row wrap">
              <a class="btn primary" href={deviceHref(now.identity)}>View device</a>
              <button
                class="btn"
                type="button"
                onClick={() => onWaiting(null)}
              >
                Add another
              </button>
            </div>
          </div>
        )
        : (
          <div class="pad form">
            <p>No longer pending: it was reverted or deleted.</p>
            <div class="row">
              <button class="btn" type="button" onClick={() => onWaiting(null)}>Add another</button>
            </div>
          </div>
        )}
      <footer>
        <span class="state" role="status">
          {now.state === "waits"
            ? (
              <>
                <span class="dot warning" aria-hidden="true" />
                <b>Waiting for the device to join.</b>
              </>
            )
            : now.state === "joined"
            ? (
              <>
                <span class="dot" aria-hidden="true" />
                <b>Joined</b>
              </>
            )
            : "Gone"}
        </span>
      </footer>
    </section>
  );
}
