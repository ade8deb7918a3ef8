import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { Fault } from "../../parts/form/fault.tsx";
import { Tabs } from "../../parts/show/tabs.tsx";
import { Icon } from "../../parts/show/icon.tsx";
import { useLoaded } from "../../parts/load/use_loaded.ts";
import { usePulse } from "../../parts/load/use_pulse.ts";
import { PageHead, type PageProps } from "../../parts/show/page_head.tsx";
import { changeEvents } from "../../state/store.ts";
import { PeerList } from "./peers.tsx";
import { ReachableCheck } from "./reachable.tsx";
import { ServerSettings } from "./settings.tsx";
import { SiteList } from "./sites.tsx";
import type { Peer, Server, Site } from "./wire.ts";
import { t } from "../../text/language.ts";

/** Milliseconds between two loads of handshakes and counters. */
const LOAD_INTERVAL_MS = 5000;
const TABS = [["peers", t("Devices")], ["sites", t("Sites")], ["settings", t("Settings")]] as const;

/** The VPN: devices away from home, other sites, and the tunnel itself. */
export default function VpnPage({ title }: PageProps): VNode {
  const tab = useSignal<string>("peers");
  const when = [changeEvents.value, usePulse(LOAD_INTERVAL_MS)];
  const peers = useLoaded<readonly Peer[]>({ path: "/plugins/wireguard/peers" }, when);
  const sites = useLoaded<readonly Site[]>({ path: "/plugins/wireguard/sites" }, when);
  const server = useLoaded<Server>({ path: "/plugins/wireguard/settings" }, when);
  const reload = () => {
    for (const one of [peers, sites, server]) one.reload();
  };
  return (
    <>
      <PageHead title={title} note={t("Devices away from home, and other sites, by WireGuard")}>
        <a class="btn" href="/admin/vpn/add">
          <Icon name="plus" small /> {t("Add a VPN device")}
        </a>
      </PageHead>
      {(server.body?.Problem ?? "") !== "" && (
        <Fault warning title={t("The VPN does not run as set.")}>{server.body!.Problem}.</Fault>
      )}
      <Tabs label={t("VPN")} tabs={TABS} chosen={tab.value} onChoose={(name) => tab.value = name}>
        {tab.value === "peers" && (
          <div class="stack">
            <PeerList peers={peers} onDone={reload} />
            <ReachableCheck />
          </div>
        )}
        {tab.value === "sites" && <SiteList sites={sites} onDone={reload} />}
        {tab.value === "settings" && <ServerSettings server={server} onDone={reload} />}
      </Tabs>
    </>
  );
}
