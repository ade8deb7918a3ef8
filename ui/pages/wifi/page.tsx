import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { PageHead, type PageProps } from "../../parts/show/page_head.tsx";
import { Tabs } from "../../parts/show/tabs.tsx";
import { useLoaded } from "../../parts/load/use_loaded.ts";
import { changeEvents, radioEvents } from "../../state/store.ts";
import { ClientList } from "./clients.tsx";
import { AirList } from "./air.tsx";
import { GuestsPanel } from "./guests.tsx";
import { NetworkList } from "./networks.tsx";
import { RadioList } from "./radios.tsx";
import { RoamingPanel } from "./roaming.tsx";
import type { Radios, WifiNetwork } from "./wire.ts";
import { t } from "../../text/language.ts";

const TABS = [
  ["radios", t("Radios")],
  ["networks", t("Networks")],
  ["clients", t("Clients")],
  ["guests", t("Guests")],
  ["air", t("Air")],
  ["roaming", t("Roaming")],
] as const;

/** Radios of the router, their networks, and who is on them. */
export default function WifiPage({ title }: PageProps): VNode {
  const tab = useSignal<string>("radios");
  const when = [changeEvents.value, radioEvents.value];
  const radios = useLoaded<Radios>({ path: "/wifi/radios" }, when);
  const networks = useLoaded<{ readonly items: readonly WifiNetwork[] }>(
    { path: "/wifi/networks" },
    when,
  );
  const reload = () => {
    radios.reload();
    networks.reload();
  };
  return (
    <>
      <PageHead title={title} note={t("Every device has a password of its own")} />
      <Tabs
        label={t("Wi-Fi")}
        tabs={TABS}
        chosen={tab.value}
        onChoose={(name) => tab.value = name}
      >
        {tab.value === "radios" && <RadioList radios={radios} onDone={reload} />}
        {tab.value === "networks" && (
          <NetworkList networks={networks} radios={radios.body?.items ?? []} onDone={reload} />
        )}
        {tab.value === "clients" && <ClientList />}
        {tab.value === "air" && <AirList />}
        {tab.value === "roaming" && <RoamingPanel />}
        {tab.value === "guests" && <GuestsPanel onDone={reload} />}
      </Tabs>
    </>
  );
}
