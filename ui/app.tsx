import { render, type VNode } from "preact";
import { useEffect } from "preact/hooks";
import { LocationProvider, Route, Router, useLocation } from "preact-iso/router";
import { followEvents } from "./state/events.ts";
import { Reauth } from "./shell/reauth.tsx";
import { lazyPage, lazyPart, preloadParts } from "./parts/load/lazy.tsx";
import { Keys } from "./shell/keys.tsx";
import { Palette } from "./shell/palette/palette.tsx";
import { Approval } from "./pages/devices/approve/approval.tsx";
import { PreviewDrawer } from "./parts/preview/preview_drawer.tsx";
import { Shell } from "./shell/shell.tsx";
import { SETUP } from "./pages/page_record.ts";
import { PAGES } from "./pages/registry.ts";
import { Takeover } from "./shell/takeover.tsx";
import { ToastView } from "./parts/overlay/toast_view.tsx";
import { Waiting } from "./parts/load/waiting.tsx";
import { stage, start } from "./state/session.ts";
import { t } from "./text/language.ts";

const SignInPage = lazyPart(
  async () => (await import("./pages/sign_in/page.tsx")).SignInPage,
  "shell",
);
/** Earlier addresses of pages, and a component that goes on to the present one. */
const MOVED = PAGES.flatMap(({ path, was = [] }) =>
  was.map((from) => ({ from, Page: () => <Redirect to={path} /> }))
);
const ROUTES = PAGES.map(({ path, title, load }) => ({
  path,
  title,
  Page: lazyPage(load, path === "/admin" ? "home" : "all"),
}));
const setup = ROUTES.find(({ path }) => path === SETUP) as typeof ROUTES[number];

/** True in a build for those who work on the pages; the shipped one has no such page at all. */
declare const DEVELOPMENT: boolean;
const PartsPage = DEVELOPMENT ? lazyPage(() => import("./pages/ui_parts/page.tsx")) : Elsewhere;

/** The whole UI: sign-in, or the shell with the page of the address. */
function App(): VNode {
  useEffect(() => {
    void start();
    return followEvents();
  }, []);
  useEffect(() => stage.value === "in" ? preloadParts() : undefined, [stage.value]);
  switch (stage.value) {
    case "starting":
      return <div aria-busy="true" />;
    case "in":
      return (
        <LocationProvider scope="/admin">
          <Shell>
            <Router onRouteChange={moved}>
              {ROUTES.map(({ path, title, Page }) => (
                <Route key={path} path={path} component={Page} title={title} />
              ))}
              {MOVED.map(({ from, Page }) => <Route key={from} path={from} component={Page} />)}
              <Route path="/admin/ui-parts" component={PartsPage} title={t("Parts")} />
              <Route default component={Elsewhere} />
            </Router>
          </Shell>
          <Palette />
          <Keys />
          <Approval />
          <PreviewDrawer />
          <Takeover />
          <Reauth />
          <ToastView />
          <Waiting />
        </LocationProvider>
      );
    case "setup":
      return (
        <LocationProvider>
          <Router>
            {[<Route key="setup" default component={setup.Page} title={setup.title} />]}
          </Router>
          <Waiting />
        </LocationProvider>
      );
    default:
      return (
        <>
          <SignInPage />
          <Waiting />
        </>
      );
  }
}

/** After navigation the focus is at the content, so that a keyboard does not start at the menu again. */
function moved(): void {
  document.getElementById("main")?.focus({ preventScroll: true });
}

/** Goes on to another address, so that Back leads to the page before. */
function Redirect({ to }: { to: string }): VNode {
  const { route } = useLocation();
  useEffect(() => route(to, true), [to]);
  return <div aria-busy="true" />;
}

function Elsewhere(): VNode {
  const { path } = useLocation();
  if (path === "/" || path === "/auth/validate") return <Redirect to="/admin" />;
  return (
    <div class="empty">
      <h1>{t("Page not found")}</h1>
      <p class="soft">{t("The address may belong to another version.")}</p>
      <a class="btn" href="/admin">{t("Home")}</a>
    </div>
  );
}

const root = document.getElementById("app");
if (root !== null) render(<App />, root);
