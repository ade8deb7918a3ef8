import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { put } from "../../api/client.ts";
import { failureText } from "../../api/problem.ts";
import { SelectField } from "../../parts/form/choice_field.tsx";
import { useLoaded } from "../../parts/load/use_loaded.ts";
import { changeEvents, devices, radioEvents } from "../../state/store.ts";
import { say } from "../../state/toast.ts";
import { nameOf } from "../../text/format.ts";
import { bandText } from "./client_text.ts";
import type { Radios, WifiClient, WifiNetwork } from "./wire.ts";
import { t } from "../../text/language.ts";

/** Radios that a client can be offered: those that are on, with the name of the one that it is on. */
function moveTargets(
  { network }: WifiClient,
  networks: readonly WifiNetwork[],
): readonly string[] {
  const own = networks.find(({ name, main }) => main && name === network);
  if (own === undefined) return [];
  return networks.filter(({ name, ssid, main, enabled }) =>
    main && enabled && name !== network && ssid === own.ssid
  ).map(({ name }) => name);
}

/** Where a client is now; its band is not known while its radio starts. */
function placeOf({ network, band }: WifiClient): string {
  return band === "" ? network : `${network}, ${bandText(band)}`;
}

/** Offers a client another radio of its network by hand; nothing is shown where there is none. */
export function MoveClient({ pulse, onDone }: { pulse: number; onDone: () => void }): VNode | null {
  const when = [pulse, radioEvents.value];
  const clients = useLoaded<{ readonly items: readonly WifiClient[] }>(
    { path: "/wifi/clients" },
    when,
  );
  const networks = useLoaded<{ readonly items: readonly WifiNetwork[] }>(
    { path: "/wifi/networks" },
    [changeEvents.value, radioEvents.value],
  );
  const radios = useLoaded<Radios>({ path: "/wifi/radios" }, [radioEvents.value]);
  const chosen = useSignal("");
  const target = useSignal("");
  const sending = useSignal(false);
  const known = networks.body?.items ?? [];
  const movable = (clients.body?.items ?? []).filter((one) => moveTargets(one, known).length > 0);
  if (movable.length === 0) return null;
  const client = movable.find(({ mac }) => mac === chosen.value) ?? movable[0]!;
  const targets = moveTargets(client, known);
  const to = targets.includes(target.value) ? target.value : targets[0]!;
  const frequency = (name: string): string => {
    const mhz = radios.body?.items.find((one) => one.name === name)?.state?.frequency ?? 0;
    return mhz === 0 ? name : t("{name}, {mhz} MHz", { name, mhz });
  };
  async function offer(): Promise<void> {
    sending.value = true;
    const name = nameOf(client.mac, devices.value?.[client.mac]);
    try {
      await put(`/hostapd/${encodeURIComponent(client.network)}/bssTransition`, {
        MAC: client.mac,
        TargetInterface: to,
      });
      say({
        text: t("{name} was offered {to}. The history shows whether it moved.", { name, to }),
      });
      onDone();
    } catch (error) {
      say({
        text: failureText(
          error,
          (text) => t("{name} was not offered {to}. {text}", { name, to, text }),
        ),
      });
    } finally {
      sending.value = false;
    }
  }
  return (
    <section class="panel" aria-labelledby="move-client">
      <header>
        <h2 id="move-client">{t("Move a client")}</h2>
      </header>
      <div class="pad form">
        <SelectField
          label={t("Client")}
          value={client.mac}
          options={movable.map((one) => [
            one.mac,
            `${nameOf(one.mac, devices.value?.[one.mac])} (${placeOf(one)})`,
          ])}
          onValue={(mac) => chosen.value = mac}
        />
        <SelectField
          label={t("To")}
          help={t("An offer, which the client may ignore")}
          value={to}
          options={targets.map((name) => [name, frequency(name)])}
          onValue={(name) => target.value = name}
        />
        <div class="row">
          <button
            class="btn"
            type="button"
            disabled={sending.value}
            onClick={() => void offer()}
          >
            {t("Offer {to}", { to })}
          </button>
        </div>
      </div>
    </section>
  );
}
