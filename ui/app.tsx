import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { LocationProvider, Route, Router, useLocation } from "preact-iso/router";
import { follow } from "./state/events.ts";
import { GateDialogs } from "./shell/reauth.tsx";
import { fetchLate, late, latePage } from "./parts/load/lazy.tsx";
import { Palette } from "./shell/palette/palette.tsx";
import { PreviewDrawer } from "./parts/preview/preview_drawer.tsx";
import { Shell } from "./shell/shell.tsx";
import { TakeOverDialog } from "./shell/takeover.tsx";
import { ToastView } from "./parts/overlay/toast_view.tsx";
import { stage, start } from "./state/session.ts";

const SignInPage = late(async () => (await import("./pages/sign_in/page.tsx")).SignInPage);
const HomePage = latePage(() => import("./pages/home/page.tsx"));
const DevicesPage = latePage(() => import("./pages/devices/page.tsx"));
const AddDevicePage = latePage(() => import("./pages/devices/add/page.tsx"));
const ImportPage = latePage(() => import("./pages/devices/import/page.tsx"));
const DevicePage = latePage(() => import("./pages/devices/device/page.tsx"));
const GroupsPage = latePage(() => import("./pages/groups/page.tsx"));
const SetupPage = latePage(() => import("./pages/setup/page.tsx"));
const RulesPage = latePage(() => import("./pages/firewall/page.tsx"));
const ReachPage = latePage(() => import("./pages/reach/page.tsx"));
const MatrixPage = latePage(() => import("./pages/reach/matrix/page.tsx"));
const NetworkPage = latePage(() => import("./pages/network/page.tsx"));
const InternetPage = latePage(() => import("./pages/uplink/page.tsx"));
const LinksPage = latePage(() => import("./pages/network/interfaces/page.tsx"));
const AddressesPage = latePage(() => import("./pages/dhcp/page.tsx"));
const MulticastPage = latePage(() => import("./pages/multicast/page.tsx"));
const DnsLogPage = latePage(() => import("./pages/dns/log/log_page.tsx"));
const BlockListsPage = latePage(() => import("./pages/dns/lists/lists_page.tsx"));
const OverridesPage = latePage(() => import("./pages/dns/overrides/overrides_page.tsx"));
const HostNamesPage = latePage(() => import("./pages/dns/names/names_page.tsx"));
const DnsSettingsPage = latePage(() => import("./pages/dns/settings/settings_page.tsx"));
const SystemPage = latePage(() => import("./pages/machine/page.tsx"));
const LogsPage = latePage(() => import("./pages/machine/logs/page.tsx"));
const BackupPage = latePage(() => import("./pages/backup/page.tsx"));
const ChangesPage = latePage(() => import("./pages/changes/page.tsx"));
const AccessPage = latePage(() => import("./pages/access/page.tsx"));

/** True in a build for those who work on the pages; the shipped one has no such page at all. */
declare const DEVELOPMENT: boolean;
const PartsPage = DEVELOPMENT ? latePage(() => import("./pages/ui_parts/page.tsx")) : Elsewhere;

/** The whole page: the gate, or the shell with the page of the address. */
export function App(): VNode {
  useEffect(() => {
    void start();
    const ends = [follow(), fetchLate()];
    return () => ends.forEach((end) => end());
  }, []);
  switch (stage.value) {
    case "starting":
      return <div aria-busy="true" />;
    case "in":
      return (
        <LocationProvider scope="/admin">
          <Shell>
            <Router onRouteChange={moved}>
              <Route path="/admin" component={HomePage} />
              <Route path="/admin/devices" component={DevicesPage} />
              <Route path="/admin/devices/add" component={AddDevicePage} />
              <Route path="/admin/devices/import" component={ImportPage} />
              <Route path="/admin/devices/:identity" component={DevicePage} />
              <Route path="/admin/groups" component={GroupsPage} />
              <Route path="/admin/rules" component={RulesPage} />
              <Route path="/admin/reach" component={ReachPage} />
              <Route path="/admin/matrix" component={MatrixPage} />
              <Route path="/admin/network" component={NetworkPage} />
              <Route path="/admin/internet" component={InternetPage} />
              <Route path="/admin/links" component={LinksPage} />
              <Route path="/admin/addresses" component={AddressesPage} />
              <Route path="/admin/multicast" component={MulticastPage} />
              <Route path="/admin/dns" component={DnsLogPage} />
              <Route path="/admin/dns/lists" component={BlockListsPage} />
              <Route path="/admin/dns/overrides" component={OverridesPage} />
              <Route path="/admin/dns/names" component={HostNamesPage} />
              <Route path="/admin/dns/settings" component={DnsSettingsPage} />
              <Route path="/admin/changes/:id?" component={ChangesPage} />
              <Route path="/admin/access" component={AccessPage} />
              <Route path="/admin/system" component={SystemPage} />
              <Route path="/admin/logs" component={LogsPage} />
              <Route path="/admin/backup" component={BackupPage} />
              <Route path="/admin/setup" component={SetupPage} />
              <Route path="/admin/ui-parts" component={PartsPage} />
              <Route default component={Elsewhere} />
            </Router>
          </Shell>
          <Palette />
          <PreviewDrawer />
          <TakeOverDialog />
          <GateDialogs />
          <ToastView />
        </LocationProvider>
      );
    case "setup":
      return (
        <LocationProvider>
          <Router>
            {[<Route key="setup" default component={SetupPage} />]}
          </Router>
        </LocationProvider>
      );
    default:
      return <SignInPage />;
  }
}

/** After a move the focus starts at the content, so that a keyboard does not start at the side again. */
function moved(): void {
  document.getElementById("main")?.focus({ preventScroll: true });
}

function Elsewhere(): VNode {
  const { path, route } = useLocation();
  const home = path === "/" || path === "/auth/validate";
  useEffect(() => {
    if (home) route("/admin", true);
  }, [home]);
  if (home) return <div aria-busy="true" />;
  return (
    <div class="empty">
      <h1>There is no page here</h1>
      <p class="soft">The address may be from another version.</p>
      <a class="btn" href="/admin">Home</a>
    </div>
  );
}
