import type { VNode } from "preact";
import type { components } from "../../generated/api.ts";
import { Meter } from "../../parts/chart/meter.tsx";
import { useLoaded } from "../../parts/load/use_loaded.ts";
import { Name } from "../../parts/show/name.tsx";
import { radioEvents } from "../../state/store.ts";
import { t, tn } from "../../text/language.ts";

type WifiClient = components["schemas"]["WifiClient"];

/** How many clients each Wi-Fi network has, by name. */
export function WifiPanel(): VNode | null {
  const { body } = useLoaded<{ readonly items: readonly WifiClient[] }>(
    { path: "/wifi/clients" },
    [radioEvents.value],
  );
  if (body === null) return null;
  const networks = [...Map.groupBy(body.items, ({ ssid }) => ssid)]
    .map(([ssid, clients]) => ({ ssid, clients: clients.length }))
    .toSorted((a, b) => b.clients - a.clients || a.ssid.localeCompare(b.ssid));
  return (
    <section class="panel" aria-labelledby="wifi-clients">
      <header>
        <h2 id="wifi-clients">{t("Wi-Fi")}</h2>
        <a class="s quiet" href="/admin/wifi?tab=clients">
          {tn("{count} client", "{count} clients", body.items.length)}
        </a>
      </header>
      {networks.length === 0
        ? <p class="pad s quiet">{t("No device is connected by Wi-Fi.")}</p>
        : (
          <ul class="rows dense">
            {networks.map(({ ssid, clients }) => (
              <li key={ssid}>
                <div class="grow trunc">
                  <Name>{ssid}</Name>
                </div>
                <span class="beside">
                  <span>{clients}</span>
                  <Meter
                    value={clients}
                    of={body.items.length}
                    label={tn("{count} client on {ssid}", "{count} clients on {ssid}", clients, {
                      ssid,
                    })}
                  />
                </span>
              </li>
            ))}
          </ul>
        )}
    </section>
  );
}
