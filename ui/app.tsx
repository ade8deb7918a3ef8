import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import lazy from "preact-iso/lazy";
import { LocationProvider, Route, Router, useLocation } from "preact-iso/router";
import { follow } from "./events.ts";
import { GateDialogs } from "./parts/gate_dialogs.tsx";
import { fetchLate, late } from "./parts/late.tsx";
import { Palette } from "./parts/palette.tsx";
import { PreviewDrawer } from "./parts/preview_drawer.tsx";
import { Shell } from "./parts/shell.tsx";
import { TakeOverDialog } from "./parts/take_over.tsx";
import { ToastView } from "./parts/toast_view.tsx";
import { stage, start } from "./session.ts";

const SignInPage = late(async () => (await import("./pages/sign_in/page.tsx")).SignInPage);
const HomePage = lazy(() => import("./pages/home/page.tsx"));
const DevicesPage = lazy(() => import("./pages/devices/page.tsx"));
const AddDevicePage = lazy(() => import("./pages/add_device/page.tsx"));
const ImportPage = lazy(() => import("./pages/import_devices/page.tsx"));
const DevicePage = lazy(() => import("./pages/device/page.tsx"));
const GroupsPage = lazy(() => import("./pages/groups/page.tsx"));
const SetupPage = lazy(() => import("./pages/setup/page.tsx"));
const RulesPage = lazy(() => import("./pages/rules/page.tsx"));
const ReachPage = lazy(() => import("./pages/reach/page.tsx"));
const MatrixPage = lazy(() => import("./pages/matrix/page.tsx"));
const NetworkPage = lazy(() => import("./pages/network/page.tsx"));
const InternetPage = lazy(() => import("./pages/internet/page.tsx"));
const LinksPage = lazy(() => import("./pages/links/page.tsx"));
const AddressesPage = lazy(() => import("./pages/addresses/page.tsx"));
const MulticastPage = lazy(() => import("./pages/multicast/page.tsx"));
const DnsLogPage = lazy(() => import("./pages/dns/log_page.tsx"));
const BlockListsPage = lazy(() => import("./pages/dns/lists_page.tsx"));
const OverridesPage = lazy(() => import("./pages/dns/overrides_page.tsx"));
const HostNamesPage = lazy(() => import("./pages/dns/names_page.tsx"));
const DnsSettingsPage = lazy(() => import("./pages/dns/settings_page.tsx"));
const SystemPage = lazy(() => import("./pages/system/page.tsx"));
const LogsPage = lazy(() => import("./pages/logs/page.tsx"));
const BackupPage = lazy(() => import("./pages/backup/page.tsx"));
const ChangesPage = lazy(() => import("./pages/changes/page.tsx"));
const AccessPage = lazy(() => import("./pages/access/page.tsx"));

/** True in a build for those who work on the pages; the shipped one has no such page at all. */
declare const DEVELOPMENT: boolean;
const PartsPage = DEVELOPMENT ? lazy(() => import("./pages/ui_parts/page.tsx")) : Elsewhere;

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
