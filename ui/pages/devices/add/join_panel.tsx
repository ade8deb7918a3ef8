import type { VNode } from "preact";
import { applyOrPreview } from "../../../actions/apply.ts";
import { Icon } from "../../../parts/show/icon.tsx";
import { Name } from "../../../parts/show/name.tsx";
import { failureText } from "../../../api/problem.ts";
import { devices } from "../../../state/store.ts";
import { say } from "../../../state/toast.ts";
import { nameOf } from "../../../text/format.ts";
import { deviceHref } from "../last_seen.ts";
import { useNetwork, WifiCode } from "../wifi_code.tsx";
import { renewPassword } from "./actions.ts";
import { joinOutcome, type PendingPassword } from "./join_outcome.ts";
import { t } from "../../../text/language.ts";
import { rich } from "../../../text/translate.ts";

/** The password, its QR code, and what becomes of it; moves on by itself when a device joins. */
export function JoinPanel(
  { waiting, onWaiting }: {
    waiting: PendingPassword;
    onWaiting: (next: PendingPassword | null) => void;
  },
): VNode {
  const network = useNetwork();
  const inForce = network.network?.waiting ?? "";
  const isInLine = waiting.type === "sae" && inForce !== "" && inForce !== waiting.identity;
  const now = joinOutcome(waiting, devices.value ?? {});
  const name = waiting.name || t("The new device");

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
      say({
        text: failureText(error, (text) => t("The password was not changed. {text}", { text })),
      });
    }
  }

  return (
    <section class="panel" aria-labelledby="join">
      <header>
        <h2 id="join">
          {rich(t("Join with {name}"), { name: <Name>{waiting.name || t("this device")}</Name> })}
        </h2>
      </header>
      {now.state === "waits"
        ? (
          <div class="pad form">
            <WifiCode
              password={waiting.password}
              network={network}
              help={t("No other device can use it. Showing it again requires a code.")}
              note={isInLine && (
                <p class="s soft">
                  {t(
                    "Waits in line: by WPA3 one new device can join at a time, and another one has not joined yet. It can join by WPA2 at once if you choose WPA2 for it.",
                  )}
                </p>
              )}
            >
              <button
                class="icon-btn"
                type="button"
                aria-label={t("Generate new password")}
                title={t("Generate new password")}
                onClick={() => void renew()}
              >
                <Icon name="undo" />
              </button>
            </WifiCode>
          </div>
        )
        : now.state === "joined"
        ? (
          <div class="pad form">
            <p>
              {rich(t("{b} {name} has the access you selected."), {
                b: <b>{t("Connected.")}</b>,
                name: <Name>{nameOf(now.identity, devices.value?.[now.identity])}</Name>,
              })}
            </p>
            <div class="row wrap">
              <a class="btn primary" href={deviceHref(now.identity)}>{t("View device")}</a>
              <button
                class="btn"
                type="button"
                onClick={() => onWaiting(null)}
              >
                {t("Add another")}
              </button>
            </div>
          </div>
        )
        : (
          <div class="pad form">
            <p>{t("No longer pending: it was reverted or deleted.")}</p>
            <div class="row">
              <button class="btn" type="button" onClick={() => onWaiting(null)}>
                {t("Add another")}
              </button>
            </div>
          </div>
        )}
      <footer>
        <span class="state" role="status">
          {now.state === "waits"
            ? (
              <>
                <span class="dot warning" aria-hidden="true" />
                <b>{t("Waiting for the device to join.")}</b>
              </>
            )
            : now.state === "joined"
            ? (
              <>
                <span class="dot" aria-hidden="true" />
                <b>{t("Joined")}</b>
              </>
            )
            : t("Gone")}
        </span>
      </footer>
    </section>
  );
}
