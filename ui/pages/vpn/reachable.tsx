import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { call } from "../../api/client.ts";
import { failureText } from "../../api/problem.ts";
import { Fault } from "../../parts/form/fault.tsx";
import { Icon } from "../../parts/show/icon.tsx";
import { say } from "../../state/toast.ts";
import type { Reachable } from "./wire.ts";
import { t } from "../../text/language.ts";

const TITLES: Readonly<Record<Reachable["Verdict"], string>> = {
  reachable: t("Nothing prevents it here."),
  off: t("The VPN is off."),
  stopped: t("The tunnel does not run."),
  "no-uplink": t("There is no Internet connection."),
  "behind-router": t("Another router must forward the port."),
  "provider-nat": t("The provider lets nobody in."),
};

/** Finds out why devices cannot connect from outside, as far as the router can tell. */
export function ReachableCheck(): VNode {
  const found = useSignal<Reachable | null>(null);
  async function check(): Promise<void> {
    try {
      found.value = (await call<Reachable>({ path: "/plugins/wireguard/reachable" })).body;
    } catch (error) {
      say({ text: failureText(error, (text) => t("It could not be checked. {text}", { text })) });
    }
  }
  const now = found.value;
  return (
    <section class="panel" aria-labelledby="vpn-reachable">
      <header>
        <h2 id="vpn-reachable">{t("Not reachable from outside?")}</h2>
        <button class="btn small" type="button" onClick={() => void check()}>
          <Icon name="search" small /> {t("Check")}
        </button>
      </header>
      {now === null
        ? <p class="pad s quiet">{t("Says what keeps devices from connecting, and what to do.")}</p>
        : (
          <div class="pad">
            <Fault
              warning
              icon={now.Verdict === "reachable" ? "gate_open" : "alert"}
              title={TITLES[now.Verdict]}
            >
              {now.Message}
            </Fault>
          </div>
        )}
    </section>
  );
}
